// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// held: a status that others have written, or removed, is corrected: that of an application, of an operation that is blocked, and of
// the Cluster.
func held(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	shop := instance(ns, "shop")
	w.released(t, shop)
	blocked := w.operation(ns, "blocked", "shop")
	blocked.Spec.Approvals.Required = true
	w.Create(t, blocked)
	w.Seen.Reach(t, blocked, "Blocked=True AwaitingApproval")
	cluster := w.cluster()
	w.Create(t, cluster)
	w.Seen.Reach(t, cluster, "Connected=True RoundTripOK", "Disconnected=False Connected", "ControllersHealthy=False ControllerMissing")

	conditions := func(o client.Object) *[]metav1.Condition {
		switch o := o.(type) {
		case *appsapi.ApplicationInstance:
			return &o.Status.Conditions
		case *opsapi.Operation:
			return &o.Status.Conditions
		}
		return &o.(*opsapi.Cluster).Status.Conditions
	}
	changes := map[string]func(client.Object){
		"another status": func(o client.Object) {
			c := &(*conditions(o))[0]
			c.Status = map[metav1.ConditionStatus]metav1.ConditionStatus{metav1.ConditionTrue: metav1.ConditionFalse}[c.Status]
			if c.Status == "" {
				c.Status = metav1.ConditionTrue
			}
		},
		"another message":  func(o client.Object) { (*conditions(o))[0].Message = "all is well" },
		"a condition less": func(o client.Object) { *conditions(o) = (*conditions(o))[1:] },
		"no conditions":    func(o client.Object) { *conditions(o) = nil },
	}
	for _, o := range []kit.Object{shop, blocked, cluster} {
		for _, what := range slices.Sorted(maps.Keys(changes)) {
			text := func() string {
				if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
					t.Fatal(err)
				}
				var out []string
				for _, c := range *conditions(o) {
					out = append(out, fmt.Sprintf("%s=%s %s %q", c.Type, c.Status, c.Reason, c.Message))
				}
				slices.Sort(out)
				return strings.Join(out, "\n")
			}
			before := text()
			world.Eventually(t, func() error {
				text()
				changes[what](o)
				return w.API.Status().Update(t.Context(), o, client.FieldOwner("somebody"))
			})
			world.Eventually(t, func() error {
				if after := text(); after != before {
					return fmt.Errorf("%s: %s: the conditions are\n%s\nwant\n%s", o.GetName(), what, after, before)
				}
				return nil
			})
		}
	}
	w.Remove(t, cluster)
	w.Gone(t, cluster)
}
