// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator/child"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestReported: a child whose drift is reported is not written while the same content is desired, whoever has edited it under whatever
// name, and however often it is looked at. The edit is named. Another desired content is written.
func TestReported(t *testing.T) {
	y := newFakeYard(t)
	y.policy = child.Policy{Report: true}
	y.ensure("created", 1)
	desired := y.deployment()
	drift := func(step string, want ...string) {
		t.Helper()
		for range 3 {
			y.ensure(step, 0)
		}
		stored := y.deployment()
		if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(stored), stored); err != nil {
			t.Fatal(err)
		}
		have, err := y.writer.Drift(y.owner, desired, stored)
		if diff := cmp.Diff(want, have); err != nil || diff != "" {
			t.Errorf("%s: %v: -want +got\n%s", step, err, diff)
		}
	}
	edit := func(by string, change func(*appsv1.Deployment)) {
		t.Helper()
		d := y.deployment()
		if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
			t.Fatal(err)
		}
		change(d)
		if err := y.api.Update(t.Context(), d, client.FieldOwner(by)); err != nil {
			t.Fatal(err)
		}
	}
	drift("untouched")
	edit("hand", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "example.dev/web:hotfix" })
	drift("another image", "spec.template.spec.containers[0].image")
	edit("gadget-operator", func(d *appsv1.Deployment) { d.Spec.Template.Spec.HostNetwork = true })
	drift("added under the operator's name", "spec.template.spec.containers[0].image", "spec.template.spec.hostNetwork")
	y.restart(y.writer.Client)
	drift("restarted", "spec.template.spec.containers[0].image", "spec.template.spec.hostNetwork")
	edit("hand", func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.HostNetwork, d.Spec.Template.Spec.Containers[0].Image = false, "example.dev/web:1"
	})
	drift("reverted")
	edit("hand", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "example.dev/web:hotfix" })
	y.shape = func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Args = []string{"--new"} }
	desired = y.deployment()
	y.ensure("another content", 1)
	drift("written")
	if err := y.api.Delete(t.Context(), y.deployment()); err != nil {
		t.Fatal(err)
	}
	y.ensure("deleted", 1)
	edit("hand", func(d *appsv1.Deployment) { delete(d.Labels, child.LabelManaged) })
	y.ensure("its label is removed", 1)
}
