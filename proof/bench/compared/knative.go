// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"knative.dev/pkg/apis"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var knativeSet = apis.NewLivingConditionSet(compiled, enforced)

// knative writes conditions with a ConditionSet of Knative, and what genreconciler does around it: observedGeneration whatever the outcome.
type knative struct{ client.Client }

func (r *knative) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	p := &knativePolicy{}
	if err := r.Get(ctx, req.NamespacedName, p); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	f, err := gather(ctx, r, p.Namespace, p.Name, p.Spec.Tools)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := p.DeepCopyObject().(*knativePolicy)
	m := knativeSet.Manage(&p.Status)
	m.InitializeConditions()
	if f.SpecError != nil {
		m.MarkFalse(compiled, "SpecInvalid", "%s", f.SpecError)
	} else {
		m.MarkTrueWithReason(compiled, "ProfileStored", "")
	}
	switch {
	case len(f.Referrers) == 0:
		m.MarkUnknown(enforced, "NoSandboxesReferencing", "no sandbox names this policy")
	case len(f.Outdated) > 0:
		m.MarkFalse(enforced, "RouterOutdated", "%d of %d routers are behind", len(f.Outdated), len(f.Referrers))
	default:
		m.MarkTrueWithReason(enforced, "RouterEnforcing", "")
	}
	if len(f.UnknownTools) > 0 {
		m.SetCondition(apis.Condition{Type: degraded, Status: "True", Reason: "ToolUnknown", Message: "tools " + strings.Join(f.UnknownTools, ", "), Severity: apis.ConditionSeverityWarning})
	} else if err := m.ClearCondition(degraded); err != nil {
		return ctrl.Result{}, err
	}
	p.Status.ObservedGeneration = p.Generation
	p.Status.Sandboxes, p.Status.Profile = len(f.Referrers), profile(f, p.Spec.Tools)
	if equality.Semantic.DeepEqual(before.Status, p.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, p)
}
