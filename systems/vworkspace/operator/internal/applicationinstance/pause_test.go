// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"context"
	"errors"
	"strings"
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// cluster is a manager with nothing but a client.
type cluster struct {
	ctrl.Manager
	client client.Client
}

func (c cluster) GetClient() client.Client    { return c.client }
func (c cluster) GetAPIReader() client.Reader { return c.client }

// released is the HelmRelease of shop as helm-controller leaves it, at generation 3.
func released() *helmv2.HelmRelease {
	ready := metav1.Condition{Type: fluxmeta.ReadyCondition, Status: metav1.ConditionTrue, Reason: helmv2.InstallSucceededReason,
		ObservedGeneration: 3, LastTransitionTime: metav1.Now()}
	return &helmv2.HelmRelease{TypeMeta: metav1.TypeMeta{APIVersion: helmv2.GroupVersion.String(), Kind: helmv2.HelmReleaseKind},
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", UID: "1", Generation: 3, Labels: map[string]string{
			child.LabelManaged: kit.Manager, api.LabelInstance: "shop"}, Annotations: map[string]string{kit.AnnotationVersion: "1.0.0"}},
		Status: helmv2.HelmReleaseStatus{ObservedGeneration: 3, Conditions: []metav1.Condition{ready},
			History: helmv2.Snapshots{{ChartName: "odoo", ChartVersion: "1.0.0", Status: "deployed"}}}}
}

// TestSuspendRefused: "Suspended=True means reconciliation is paused". Where the API server refuses the suspension, or its end, the
// condition says how the HelmRelease is, and its message says why. A refusal by a policy is Blocked=True PolicyDenied.
func TestSuspendRefused(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(api.AddToScheme(scheme), helmv2.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: helmv2.GroupVersion.Group, Resource: "helmreleases"}, "shop",
		errors.New("the policy says no"))
	tests := map[string]struct {
		paused, manual bool // as it is, and as it is asked for
		err            error
		want           [2]string // Suspended, Blocked
		message        string
	}{
		"suspended":                {false, true, nil, [2]string{"True ManuallySuspended", "False Unblocked"}, ""},
		"suspended, denied":        {false, true, forbidden, [2]string{"False Active", "True PolicyDenied"}, "the policy says no"},
		"suspended, in trouble":    {false, true, errors.New("etcd is busy"), [2]string{"False Active", "False Unblocked"}, "etcd is busy"},
		"resumed, denied":          {true, false, forbidden, [2]string{"True ManuallySuspended", "True PolicyDenied"}, "the policy says no"},
		"resumed, and in trouble":  {true, false, errors.New("etcd is busy"), [2]string{"True ManuallySuspended", "False Unblocked"}, "busy"},
		"resumed":                  {true, false, nil, [2]string{"False Active", "False Unblocked"}, ""},
		"it is suspended, already": {true, true, forbidden, [2]string{"True ManuallySuspended", "False Unblocked"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			hr := released()
			if hr.Spec.Suspend = test.paused; test.paused {
				hr.Annotations[annotationPause] = "paused 2 3"
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(hr).WithInterceptorFuncs(interceptor.Funcs{
				Apply: func(_ context.Context, _ client.WithWatch, o runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
					if o.(interface{ GetKind() string }).GetKind() != "HelmRelease" {
						return nil
					}
					return test.err
				}}).Build()
			g := &gatherer{&kit.Env{Host: &operator.Host{Manager: cluster{client: c},
				Children: &child.Writer{Client: c, Live: c, Manager: kit.Manager, Domain: kit.Domain}}}}
			u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hr)
			if err != nil {
				t.Fatal(err)
			}
			o, f := shop(), Facts{Now: start, Manual: test.manual}
			if f.Release, _, err = readRelease(o, &unstructured.Unstructured{Object: u}); err != nil {
				t.Fatal(err)
			}
			if err := g.act(t.Context(), o, &f); err != nil {
				unwritten(&f, err)
			}
			got, message := [2]string{}, ""
			for _, c := range judge(o, f, start).Commit().Conditions() {
				switch cell := string(c.Status) + " " + c.Reason; c.Type {
				case TypeSuspended:
					got[0], message = cell, c.Message
				case TypeBlocked:
					got[1] = cell
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || !strings.Contains(message, test.message) {
				t.Errorf("the message is %q; -want +got\n%s", message, diff)
			}
		})
	}
}

// TestSuspendedByHand: an administrator who suspends the HelmRelease, as "flux suspend" does, has "explicitly suspended reconciliation".
// The instance is suspended, keeps reflecting the release that runs, and nothing is being upgraded.
func TestSuspendedByHand(t *testing.T) {
	hr := released()
	hr.Spec.Suspend, hr.Generation = true, 4 // its controller does not look at it
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hr)
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Now: start, Source: Source{Exists: true}}
	if f.Release, _, err = readRelease(shop(), &unstructured.Unstructured{Object: u}); err != nil {
		t.Fatal(err)
	}
	f.Release.Ready = f.Release.Version == "1.0.0"
	got := map[string]string{}
	for _, c := range judge(shop(), f, start).Commit().Conditions() {
		got[c.Type] = string(c.Status) + " " + c.Reason
	}
	want := map[string]string{TypeReady: "True HelmReleaseReady", TypeReconciling: "False Stable", TypeSuspended: "True ManuallySuspended",
		TypeBlocked: "False Unblocked"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
