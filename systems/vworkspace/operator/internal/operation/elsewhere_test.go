// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// cluster is a manager with nothing but a client.
type cluster struct {
	ctrl.Manager
	client client.Client
}

func (c cluster) GetClient() client.Client    { return c.client }
func (c cluster) GetAPIReader() client.Reader { return c.client }

// TestElsewhere: an older operation is in the way of a younger one by its present blockers, and not by those of its stored status.
func TestElsewhere(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), appsapi.AddToScheme(scheme), api.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	blocked := []metav1.Condition{{Type: TypeAccepted, Status: "True", Reason: ReasonAdmissionPassed},
		{Type: TypeBlocked, Status: "True", Reason: ReasonAwaitingApproval}}
	tests := map[string]struct {
		change   func(*api.Operation)
		conflict bool // of the younger operation
	}{
		"free":                     {func(*api.Operation) {}, true},
		"it waits for an approval": {func(o *api.Operation) { o.Spec.Approvals.Required = true }, false},
		"it waits, and its status does not say so": {func(o *api.Operation) { o.Spec.Approvals.Required, o.Status.Conditions = true, nil },
			false},
		"it waits no more, and its status says more": {func(o *api.Operation) { o.Status.Conditions = blocked }, true},
		"it is cancelled": {func(o *api.Operation) { o.Annotations = map[string]string{api.AnnotationCancel: "true"} }, false},
		"it has started": {func(o *api.Operation) {
			o.Spec.Approvals.Required, o.Status.StartedAt = true, &metav1.Time{Time: start}
		}, true},
		"it has ended": {func(o *api.Operation) { o.Status.FinishedAt = &metav1.Time{Time: start} }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			operation := func(name string, age time.Duration) *api.Operation {
				return &api.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(name),
					CreationTimestamp: metav1.Time{Time: start.Add(-age)}},
					Spec: api.OperationSpec{Type: engine.Restore, Engine: engine.Job, TargetRef: api.TargetRef{Name: "shop"},
						Parameters: api.Parameters{Job: &api.JobParameters{Image: "i"}}}}
			}
			older, younger := operation("older", time.Hour), operation("younger", time.Minute)
			younger.Spec.Type = engine.Upgrade
			test.change(older)
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(older, younger,
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}},
				&appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop"}, Status: appsapi.ApplicationInstanceStatus{
					Conditions: []metav1.Condition{{Type: "Ready", Status: "True", Reason: "HelmReleaseReady"}}}}).
				WithIndex(&api.Operation{}, byTarget,
					func(o client.Object) []string { return []string{o.(*api.Operation).Spec.TargetRef.Name} }).Build()
			g := &gatherer{Env: &kit.Env{Host: &operator.Host{Manager: cluster{client: c}, Now: func() time.Time { return start }},
				Settings: kit.Settings{Namespace: "system"}, Policy: &kit.Policies{Client: c, Namespace: "system"}}}
			f, err := g.gather(t.Context(), younger, start)
			if err != nil {
				t.Fatal(err)
			}
			want := map[bool]string{true: "Restore older is in flight on the same target"}[test.conflict]
			if diff := cmp.Diff(want, f.Conflict); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			younger.Spec.Engine, younger.Spec.Parameters = engine.Helm, api.Parameters{Helm: &api.HelmParameters{TargetVersion: "2.0.0"}}
			problems, conflict, err := Admission(g.Env)(t.Context(), younger)
			if err != nil || len(problems) > 0 || conflict != want {
				t.Errorf("the webhook is answered %q, %q, %v, want a conflict %q", problems, conflict, err, want)
			}
			younger.Spec.Parameters = api.Parameters{}
			if problems, _, err := Admission(g.Env)(t.Context(), younger); err != nil ||
				!cmp.Equal(problems, []string{"spec.parameters.helm.targetVersion is missing"}) {
				t.Errorf("without parameters the webhook is answered %q, %v", problems, err)
			}
		})
	}
}
