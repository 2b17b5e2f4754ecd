// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/proof/plane"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// TestReady_permission: a controller names what it cannot do without a permission; it is not ready while it lacks one for the definitions
// or the lease, as it can do nothing then. As soon as it has the permission it names nothing, without a restart.
func TestReady_permission(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource string
		elect    bool
		code     int
		want     []string
	}{
		"definitions": {resource: "customresourcedefinitions", code: http.StatusServiceUnavailable,
			want: []string{"CustomResourceDefinition.apiextensions.k8s.io: ", "is forbidden", `cannot list resource "customresourcedefinitions"`}},
		"a kind": {resource: "widgets", code: http.StatusOK, want: []string{"Widget.", "is forbidden", `resource "widgets"`}},
		"lease": {resource: "leases", elect: true, code: http.StatusServiceUnavailable,
			want: []string{"lease: ", "is forbidden", `cannot get resource "leases"`}},
		"definitions, lead": {resource: "customresourcedefinitions", elect: true, code: http.StatusServiceUnavailable,
			want: []string{"CustomResourceDefinition.apiextensions.k8s.io: ", "is forbidden"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.define(listMap, "Rack", "Widget")
			rules, err := controller.Rules(controller.Options{Catalogs: given(b.set)},
				func(gk schema.GroupKind) string { return strings.ToLower(gk.Kind) + "s" })
			b.must(err)
			about := func(r rbacv1.PolicyRule) bool { return r.Resources[0] == test.resource }
			var withheld []rbacv1.PolicyRule
			for _, r := range rules {
				if about(r) {
					withheld = append(withheld, r)
				}
			}
			user, health := "user-of-"+b.namespace, plane.Address(t)
			b.allow(user, slices.DeleteFunc(slices.Clone(rules), about))
			c := b.run(func(o *controller.Options) {
				o.HealthAddress, o.LeaderElect, o.LeaseNamespace = health, test.elect, b.namespace
				o.Config = rest.CopyConfig(o.Config)
				o.Config.Impersonate = rest.ImpersonationConfig{UserName: user}
			})
			named(t, health, test.code, test.want...)
			fetch(t, health, "/healthz", http.StatusOK)
			b.allow(user, withheld)
			fetch(t, health, "/readyz", http.StatusOK)
			b.wait(c.Ready) // nothing is named any more; a replica that begins to lead has not listed yet
		})
	}
}

// unready waits until a controller is not ready and says so in these words.
func unready(t *testing.T, health string, words ...string) {
	t.Helper()
	named(t, health, http.StatusServiceUnavailable, words...)
}

// named waits until /readyz answers with a code and names these words.
func named(t *testing.T, health string, code int, words ...string) {
	t.Helper()
	(&bench{T: t}).wait(func() error {
		got := fetch(t, health, "/readyz", code)
		for _, w := range words {
			if !strings.Contains(got, w) {
				return &unlike{"/readyz lacks " + w, got}
			}
		}
		return nil
	})
}

// TestReady_server: without an API server nobody is ready: not a controller that starts, not one at work, and not a replica that waits for
// the lease. Each is again when the API server is back.
func TestReady_server(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	p := newProxy(t, b.config.Host)
	p.cut()
	health := plane.Address(t)
	b.run(p.through, func(o *controller.Options) { o.HealthAddress = health })
	unready(t, health, "CustomResourceDefinition.apiextensions.k8s.io: ", "connection refused")
	p.mend()
	fetch(t, health, "/readyz", http.StatusOK)
	p.cut()
	unready(t, health, "CustomResourceDefinition.apiextensions.k8s.io: ", "Rack."+b.group+": ", "Widget."+b.group+": ", "connection refused")
	p.mend()
	fetch(t, health, "/readyz", http.StatusOK)
}

// TestReady_replica: a replica that waits is ready while it can reach the lease, and so is the one that holds it.
func TestReady_replica(t *testing.T) {
	b := newBench(t)
	b.define(listMap, "Rack", "Widget")
	elect := func(o *controller.Options) { o.LeaderElect, o.LeaseNamespace = true, b.namespace }
	first := b.run(elect)
	first.idle() // it leads
	p, health := newProxy(t, b.config.Host), plane.Address(t)
	p.cut()
	b.run(p.through, elect, func(o *controller.Options) { o.HealthAddress = health })
	unready(t, health, "lease: ", "connection refused")
	p.mend()
	fetch(t, health, "/readyz", http.StatusOK)
	p.cut()
	unready(t, health, "lease: ", "connection refused")
	p.mend()
	fetch(t, health, "/readyz", http.StatusOK)
	if err := first.Ready(); err != nil {
		t.Errorf("the replica that leads: %v", err)
	}
}
