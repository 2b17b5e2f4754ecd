// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// permit sets the role of the operator to its rules without some permissions, and waits until the API server knows.
func (w *vworkspace) permit(t *testing.T, without ...world.Request) {
	t.Helper()
	denied := func(r world.Request) bool { return slices.Contains(without, r) }
	var rules []rbacv1.PolicyRule
	for _, p := range world.Permissions(t, roles) {
		if p.Namespace != "" || denied(p) {
			continue
		}
		resource := p.Resource
		if p.Subresource != "" {
			resource += "/" + p.Subresource
		}
		rules = append(rules, rbacv1.PolicyRule{Verbs: []string{p.Verb}, APIGroups: []string{p.Group}, Resources: []string{resource}})
	}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "vworkspace-operator"}}
	world.Edit(t, w.World, role, func(r *rbacv1.ClusterRole) { r.Rules = rules })
	world.Eventually(t, func() error {
		for _, p := range world.Permissions(t, roles) {
			if p.Namespace != "" {
				continue
			}
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: w.User(),
				ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: p.Verb, Group: p.Group, Resource: p.Resource, Subresource: p.Subresource,
					Name: "any"}}}
			if err := w.API.Create(t.Context(), review); err != nil {
				return err
			}
			if review.Status.Allowed == denied(p) {
				return fmt.Errorf("%s: allowed is %v", p, review.Status.Allowed)
			}
		}
		return nil
	})
}

// says waits until a condition has a message with a text.
func (w *vworkspace) says(t *testing.T, o client.Object, conditionType, text string) {
	t.Helper()
	world.Eventually(t, func() error {
		if c := w.Condition(t, o, conditionType); c == nil || !strings.Contains(c.Message, text) {
			return fmt.Errorf("%s of %s is %+v, want a message with %q", conditionType, o.GetName(), c, text)
		}
		return nil
	})
}

// refused: a permission that is missing is named by the reason that is documented for it; where the status itself cannot be written it
// is tried again less and less often, and other kinds go on. All of it ends when the permission is there.
func refused(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	jobs, releases := world.Request{Verb: "create", Group: "batch", Resource: "jobs"},
		world.Request{Verb: "create", Group: "helm.toolkit.fluxcd.io", Resource: "helmreleases"}
	status := world.Request{Verb: "patch", Group: "apps.vworkspace.io", Resource: "applicationinstances", Subresource: "status"}
	w.permit(t, jobs, releases)
	w.run(t)
	shop, command := instance(ns, "shop"), w.operation(ns, "command", "shop")
	w.Create(t, shop)
	w.Create(t, command)
	w.Seen.Reach(t, shop, "Blocked=True PolicyDenied")
	w.says(t, shop, "Blocked", `cannot create resource "helmreleases"`)
	w.Seen.Reach(t, command, "Failed=True EngineFailed")
	w.says(t, command, "Failed", `cannot create resource "jobs"`)

	// It is repeated with every wake-up, and the answer changes nothing.
	before := w.Seen.Count(t)[world.Key(shop)]
	refusals := func() int {
		return w.sent.Count(func(r world.Request) bool { return r.Refused && r.Resource == releases.Resource })
	}
	for range 2 { // with the second attempt the status after the first one is written
		tried := refusals()
		w.Wake(t)
		world.Eventually(t, func() error {
			if refusals() == tried {
				return fmt.Errorf("it was not tried again")
			}
			return nil
		})
	}
	if n := w.Seen.Count(t)[world.Key(shop)]; n != before {
		t.Errorf("the same refusal was written %d times more", n-before)
	}
	w.permit(t)
	w.Wake(t)
	w.Seen.Reach(t, shop, "Blocked=False Unblocked")

	// The status cannot be written.
	w.permit(t, status)
	silent, other := instance(ns, "silent"), w.operation(ns, "other", "shop")
	w.Create(t, silent)
	attempts := func() int {
		return w.sent.Count(func(r world.Request) bool {
			return r.Refused && r.Resource == status.Resource && r.Subresource == "status"
		})
	}
	world.Patiently(t, world.Patience, func() error {
		if n := attempts(); n < 10 {
			return fmt.Errorf("%d attempts", n)
		}
		return nil
	})
	// The tenth attempt is followed by a pause of more than two seconds, and each pause is twice the one before; shop and silent are tried.
	first := attempts()
	time.Sleep(5 * time.Second) // the measurement
	if n := attempts() - first; n > 8 {
		t.Errorf("%d attempts in five seconds", n)
	}
	w.Create(t, other)
	w.Seen.Reach(t, other, "Succeeded=True EngineCompleted")
	if c := w.Condition(t, silent, "Ready"); c != nil {
		t.Errorf("a status was written without the permission: %v", c)
	}
	w.permit(t)
	w.Wake(t) // the pause has grown to a minute
	w.Seen.Reach(t, silent, "Ready=Unknown Reconciling", "Blocked=False Unblocked")
}
