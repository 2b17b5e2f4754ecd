// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Permissions returns the permissions of a file of roles, each as a [Request]. Namespace is the namespace of a Role,
// and empty for a ClusterRole. Reviews are left out: a program asks for them if its metrics are read, see [World.Run].
func Permissions(t *testing.T, file string) (out []Request) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		var role rbacv1.Role // a ClusterRole has the same rules
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				if strings.HasPrefix(group, "authentication.") || strings.HasPrefix(group, "authorization.") {
					continue
				}
				for _, resource := range rule.Resources {
					name, sub, _ := strings.Cut(resource, "/")
					for _, verb := range rule.Verbs {
						out = append(out, Request{Verb: verb, Group: group, Resource: name, Subresource: sub, Namespace: role.Namespace})
					}
				}
			}
		}
	}
	return out
}

// Unused lists the permissions that no request needed. Those of finalizers are left out: the API server checks them itself, where an owner
// reference blocks a deletion.
func (tr *Traffic) Unused(permissions []Request) (out []string) {
	asked := map[Request]bool{}
	for r := range tr.All() {
		if r.Verb == createByApply {
			r.Verb = "create"
		}
		if r.Refused {
			continue
		}
		r.Denied = false // it was permitted
		asked[r] = true
		if !slices.Contains(permissions, r) { // not by a Role of this namespace
			r.Namespace = ""
			asked[r] = true
		}
	}
	for _, p := range permissions {
		if p.Verb == "list" { // a client that watches lists only where the API server does not send the list with the watch
			watch := p
			watch.Verb = "watch"
			asked[p] = asked[p] || asked[watch]
		}
		if !asked[p] && p.Subresource != "finalizers" {
			out = append(out, p.String())
		}
	}
	return out
}

// Refused lists the requests that were refused for want of a permission.
func (tr *Traffic) Refused() (out []string) {
	for r := range tr.All() {
		if r.Refused {
			out = append(out, r.String())
		}
	}
	slices.Sort(out)
	return out
}
