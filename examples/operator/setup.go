// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/examples/toolpolicy"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const name = "policy-operator"

// Setup adds the operator to a manager, whose scheme knows ToolPolicies and ConfigMaps. Metrics of the status are to be registered.
func Setup(mgr ctrl.Manager, known []string) (*apply.Status, error) {
	writer, err := dynamic.NewForConfig(mgr.GetConfig())
	if err != nil {
		return nil, err
	}
	status := &apply.Status{
		Target: apply.Target{
			Resource: toolpolicy.GroupVersion.WithResource("toolpolicies"), Kind: "ToolPolicy", Namespaced: true,
			ListMap: true, // as in crd.yaml
			Path:    apply.ParsePath("status.conditions"),
			Own:     toolpolicy.Kind,
		},
		Writer:  &apply.Writer{Client: writer, Manager: name},
		Events:  &apply.Events{Recorder: mgr.GetEventRecorder(name)},
		Metrics: apply.NewMetrics("policy_operator"),
	}
	r := &Reconciler{Client: mgr.GetClient(), Status: status, Known: known, Now: time.Now}
	return status, ctrl.NewControllerManagedBy(mgr).
		For(&toolpolicy.ToolPolicy{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(policyOf)).
		Complete(r)
}

// policyOf returns the policy that a sandbox names.
func policyOf(_ context.Context, sandbox client.Object) []reconcile.Request {
	policy, ok := sandbox.GetLabels()[PolicyLabel]
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: sandbox.GetNamespace(), Name: policy}}}
}
