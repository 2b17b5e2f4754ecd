// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kubernetes-sigs/kro/pkg/metadata"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// aggregated is the label by which kro, and the operator, find what an administrator grants them.
const aggregated = "rbac.kro.run/aggregate-to-controller"

// allowed are the groups of the resources in the tests: all but that of network policies.
var allowed = []string{"", "apps", "batch", "example.com"}

// account is who the program is.
func (s *side) account() string {
	if s.name == "kro" {
		return upstreamAccount
	}
	return s.User()
}

// install gives a program its permissions, beyond those of the manifest.
func (s *side) install(t *testing.T) {
	t.Helper()
	if s.name == "kro" {
		s.permit(t, "kro-program", append([]string{"kro.run", "internal.kro.run", "apiextensions.k8s.io", "tristate.dev", "events.k8s.io",
			"coordination.k8s.io", "rbac.authorization.k8s.io"}, allowed...))
		return
	}
	s.permit(t, "kro-resources", allowed)
	s.may(t, "get", "kro.run", "resourcegraphdefinitions")
}

// permit lets a program use all resources of some groups, as resources of instances.
func (s *side) permit(t *testing.T, name string, groups []string) {
	t.Helper()
	s.grant(t, name, rbacv1.PolicyRule{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "create", "patch",
		"delete"}})
	if s.name == "kro" { // its own role may do more with them
		s.grant(t, name+"-all", rbacv1.PolicyRule{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"*"}},
			rbacv1.PolicyRule{NonResourceURLs: []string{"*"}, Verbs: []string{"get"}})
	}
	s.may(t, "delete", groups[len(groups)-1], "anything")
}

// readable lets the operator read the objects of a group, as those that a graph only refers to.
func (s *side) readable(t *testing.T, name, group string) {
	t.Helper()
	s.grant(t, name, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}})
	s.may(t, "watch", group, "anything")
}

// grantKinds lets the operator use the kinds of definitions: as its own, and as resources of others.
func (s *side) grantKinds(t *testing.T, definitions ...*unstructured.Unstructured) {
	t.Helper()
	if s.name == "kro" {
		return
	}
	var kinds, statuses []string
	for _, o := range definitions {
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "schema", "kind")
		plural := metadata.GetResourceGraphDefinitionInstanceGVR("kro.run", "v1alpha1", kind).Resource
		if !s.can(t, "patch", "kro.run", plural+"/status") {
			kinds, statuses = append(kinds, plural), append(statuses, plural+"/status")
		}
	}
	if len(kinds) == 0 {
		return
	}
	s.grant(t, "kro-kind-"+definitions[0].GetName(),
		rbacv1.PolicyRule{APIGroups: []string{"kro.run"}, Resources: kinds, Verbs: []string{"get", "list", "watch", "create", "patch", "delete"}},
		rbacv1.PolicyRule{APIGroups: []string{"kro.run"}, Resources: statuses, Verbs: []string{"patch"}})
	s.may(t, "patch", "kro.run", statuses[len(statuses)-1])
}

// grant makes a role: for the operator with the label by which it is found, for kro with a binding.
func (s *side) grant(t *testing.T, name string, rules ...rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{aggregated: "true"}}, Rules: rules}
	if err := s.API.Create(t.Context(), role); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	if s.name != "kro" {
		return
	}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName,
		Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: upstreamAccount}}}
	if err := s.API.Create(t.Context(), binding); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
}

// may waits until a program has a permission: roles are aggregated, and the API server learns of them, some time after they are made.
func (s *side) may(t *testing.T, verb, group, resource string) {
	t.Helper()
	s.eventually(t, func() error {
		if !s.can(t, verb, group, resource) {
			return fmt.Errorf("%s may not %s %s of %q", s.account(), verb, resource, group)
		}
		return nil
	})
	s.Wake(t) // no event reports a permission: the operator would look again in half a minute
}

// can reports whether a program has a permission.
func (s *side) can(t *testing.T, verb, group, resource string) bool {
	t.Helper()
	resource, subresource, _ := strings.Cut(resource, "/")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: s.account(),
		Groups:             []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: group, Resource: resource, Subresource: subresource}}}
	if err := s.API.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

// permissions: a definition whose kind nobody has granted says so, at its own condition and not as an instance that waits; granted, it
// goes on without a restart. Everything else in the tests of this package runs with exactly the permissions of config/rbac as well.
func permissions(t *testing.T, s *side) {
	s.run = ours
	s.begin(t)
	defer s.end(t)
	definition := rgd(t, "fenced", "Fenced", fields, `- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-1"}, data: {a: b}}`)
	o := instance(t, "Fenced", "fence", "")
	if err := s.API.Create(t.Context(), definition.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	got := s.expect(t, definition, map[string]string{"Ready": "False NotPermitted", "ResourceGraphReady": "Unknown ResourcesNotReady",
		"ResourceGraphKindReady": "False NotPermitted"})
	if c := find(got, "Ready"); !strings.Contains(c.Message, "fenceds") || !strings.Contains(c.Message, "forbidden") {
		t.Errorf("Ready says %q", c.Message)
	}
	s.create(t, o)
	s.grantKinds(t, definition)
	s.expect(t, definition, map[string]string{"Ready": "True AllReady"})
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})

	fencedOff(t, s)
	samples(t, s)

	// An object that the graph only refers to is read and nothing else.
	policy := decode(t, "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: fence, namespace: default}, spec: {podSelector: {}}}")
	s.create(t, rgd(t, "guarded", "Guarded", fields, `- id: policy
  externalRef: {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: "${schema.spec.outcome}"}}`))
	guarded := instance(t, "Guarded", "guarded", "outcome: fence")
	s.create(t, guarded)
	s.expect(t, guarded, map[string]string{"Ready": "False", "resources.kro.run/policy": "False Refused"})
	s.readable(t, "kro-policies", "networking.k8s.io")
	s.expect(t, guarded, map[string]string{"Ready": "Unknown NotFound"})
	s.create(t, policy)
	s.expect(t, guarded, map[string]string{"Ready": "True AllReady"})

	// A permission that is taken away and given back.
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "kro-kind-fenced")
	s.remove(t, role)
	s.eventually(t, func() error {
		if s.can(t, "patch", "kro.run", "fenceds/status") {
			return errors.New("the permission is still there")
		}
		return nil
	})
	s.edit(t, o, func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "other", "spec", "outcome")
	})
	s.grantKinds(t, definition)
	s.expect(t, o, map[string]string{"Ready": "True AllReady"})
}

// fencedOff: with the policy of the manifest, the operator's account can neither make, change nor delete a CustomResourceDefinition that is
// not kro's, though its role names none.
func fencedOff(t *testing.T, s *side) {
	data, err := os.ReadFile("config/admission/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(data), "---\n") {
		if err := s.API.Create(t.Context(), decode(t, document)); err != nil {
			t.Fatal(err)
		}
	}
	stolen, err := client.New(s.Account(), client.Options{Scheme: s.API.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	crd := func(labels string) *unstructured.Unstructured {
		return decode(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pumps.example.com, labels: {`+labels+`}}
spec:
  group: example.com
  names: {kind: Pump, plural: pumps, singular: pump, listKind: PumpList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`)
	}
	refused := func(what string, request func() error) {
		t.Helper()
		s.eventually(t, func() error { // a policy is in force some time after it is created
			if err := request(); err == nil || !strings.Contains(err.Error(), "kro-operator") {
				return fmt.Errorf("%s is not refused by the policy: %v", what, err)
			}
			return nil
		})
	}
	refused("a definition without the label", func() error { return stolen.Create(t.Context(), crd(""), client.DryRunAll) })
	if err := stolen.Create(t.Context(), crd(`kro.run/owned: "true"`), client.DryRunAll); err != nil {
		t.Errorf("a definition with the label is refused: %v", err)
	}
	s.create(t, crd(""))
	refused("a label for the definition of others", func() error {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"kro.run/owned":"true"}}}`))
		return stolen.Patch(t.Context(), crd(""), patch, client.DryRunAll)
	})
}

// samples: the objects of config/samples, applied one after the other as the page says, become ready.
func samples(t *testing.T, s *side) {
	for _, name := range []string{"permissions", "definition", "instance"} {
		data, err := os.ReadFile("config/samples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		o := decode(t, string(data))
		s.eventually(t, func() error { return client.IgnoreAlreadyExists(s.API.Create(t.Context(), o.DeepCopy())) })
		switch name {
		case "permissions":
			s.may(t, "patch", "kro.run", "greetings/status")
		case "definition":
			s.expect(t, o, map[string]string{"Ready": "True AllReady"})
		case "instance":
			s.expect(t, o, map[string]string{"Ready": "True AllReady", "resources.kro.run/service": "True"})
			s.remove(t, o)
			s.gone(t, o)
		}
	}
}
