// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// TestRoles: a token of the operator cannot make its own approvers, or its own catalog policy: it changes the Secret and the ConfigMap that
// are its own by name, and no other. It grants no permissions, runs no command in a pod, and has no wildcard.
func TestRoles(t *testing.T) {
	file, err := os.Open("../../deploy/install.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rules []rbacv1.PolicyRule
	for d := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		var role rbacv1.Role
		if err := d.Decode(&role); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if role.Kind == "Role" || role.Kind == "ClusterRole" {
			rules = append(rules, role.Rules...)
		}
	}
	changes := map[string][]string{}
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				switch {
				case resource == "*" || verb == "*" || slices.Contains(rule.APIGroups, "*"):
					t.Errorf("a wildcard: %+v", rule)
				case slices.Contains([]string{"bind", "escalate", "impersonate", "deletecollection"}, verb):
					t.Errorf("verb %s of %s", verb, resource)
				case slices.Contains([]string{"pods/exec", "pods/attach", "pods/ephemeralcontainers", "serviceaccounts/token", "nodes"}, resource):
					t.Errorf("verb %s of %s", verb, resource)
				case slices.Contains([]string{"secrets", "configmaps"}, resource) && slices.Contains([]string{"update", "patch", "delete"}, verb):
					changes[verb+" "+resource] = append(changes[verb+" "+resource], rule.ResourceNames...)
					if len(rule.ResourceNames) == 0 {
						t.Errorf("verb %s of every one of %s", verb, resource)
					}
				case slices.Contains(rule.APIGroups, rbacv1.GroupName) && verb != "get":
					t.Errorf("verb %s of %s", verb, resource)
				}
			}
		}
	}
	want := map[string][]string{"patch secrets": {"vworkspace-agent-credentials"}, "patch configmaps": {"vworkspace-agent-journal"}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
