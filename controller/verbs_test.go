// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestOnlyNeededVerbs runs the controller as a user with nothing but [controller.Rules]: that is enough, and all of it is used.
func TestOnlyNeededVerbs(t *testing.T) {
	b := newBench(t)
	b.must(live.Install(b.patient(), b.config, catalog.CRDYAML))
	b.define(listMap, "Rack")
	b.define(anything, "Widget") // so that both ways to write are used
	rules, err := controller.Rules(controller.Options{Catalogs: given(b.set)},
		func(gk schema.GroupKind) string { return strings.ToLower(gk.Kind) + "s" })
	b.must(err)
	user := "user-of-" + b.namespace
	b.allow(user, rules)
	var conflict atomic.Bool
	w := &traffic{answer: func(r request) *http.Response {
		switch {
		case r.streamed(): // as an API server that cannot stream lists
			return refuse(r.Request, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		case r.resource == "racks/status" && conflict.CompareAndSwap(false, true):
			return refuse(r.Request, http.StatusConflict, metav1.StatusReasonConflict)
		}
		return nil
	}}
	c := b.run(w.through, func(o *controller.Options) {
		o.Config.Impersonate = rest.ImpersonationConfig{UserName: user}
		o.LeaderElect, o.LeaseNamespace = true, b.namespace
	})
	b.addCatalog(strings.NewReplacer("racks.GROUP", "other.GROUP", "kind: Rack", "kind: Shelf").Replace(strings.Split(catalogText,
		"---\n")[1]))
	b.accepted("other.GROUP", "True Accepted")
	b.create("Rack", "r", "{}")
	b.forbidden(user)
	b.create("Widget", "w", "rack: r")
	b.patchStatus("Widget", "w",
		`{conditions: [{type: Powered, status: "True", reason: PowerOn, lastTransitionTime: "2026-01-02T03:04:05Z"}]}`)
	b.eventually("Rack", "r", "Ready=True Healthy, WidgetsReady=True Healthy")
	c.idle()
	b.wait(func() error { // events and the lease come in their own time
		used := map[string]bool{}
		for _, r := range w.all() {
			if r.code == 403 && r.resource != "shelfs" {
				t.Fatalf("forbidden: %s %s", r.verb, r.URL)
			}
			if r.verb != "discover" && r.resource != "shelfs" {
				used[r.group+" "+r.resource+" "+r.verb] = true
			}
		}
		var got, want []string
		for u := range used {
			got = append(got, u)
		}
		for _, rule := range rules {
			for _, verb := range rule.Verbs {
				want = append(want, rule.APIGroups[0]+" "+rule.Resources[0]+" "+verb)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		want = slices.Compact(want)
		if diff := cmp.Diff(want, got); diff != "" {
			return &unlike{"verbs: allowed, used", diff}
		}
		return nil
	})
}

// forbidden makes sure that the API server does not let the user do what it likes.
func (b *bench) forbidden(user string) {
	b.Helper()
	config := rest.CopyConfig(b.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	client, err := dynamic.NewForConfig(config)
	b.must(err)
	racks := schema.GroupVersionResource{Group: b.group, Version: "v1", Resource: "racks"}
	err = client.Resource(racks).Namespace(b.namespace).Delete(b.patient(), "r", metav1.DeleteOptions{})
	if !apierrors.IsForbidden(err) {
		b.Fatalf("the API server does not restrict %s: %v", user, err)
	}
}

// allow returns a user a cluster role, one for the resource of the first rule, and waits until the API server goes by it.
func (b *bench) allow(user string, rules []rbacv1.PolicyRule) {
	b.Helper()
	client, err := kubernetes.NewForConfig(b.config)
	b.must(err)
	name := user + "-" + rules[0].Resources[0]
	_, err = client.RbacV1().ClusterRoles().Create(b.patient(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules},
		metav1.CreateOptions{})
	b.must(err)
	_, err = client.RbacV1().ClusterRoleBindings().Create(b.patient(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "User", Name: user}}}, metav1.CreateOptions{})
	b.must(err)
	b.Cleanup(func() {
		ctx := context.Background()
		_ = client.RbacV1().ClusterRoleBindings().Delete(ctx, name, metav1.DeleteOptions{})
		_ = client.RbacV1().ClusterRoles().Delete(ctx, name, metav1.DeleteOptions{})
	})
	plane.Allowed(b, b.config, user, authorizationv1.ResourceAttributes{Group: rules[0].APIGroups[0], Resource: rules[0].Resources[0],
		Verb: rules[0].Verbs[0]})
}
