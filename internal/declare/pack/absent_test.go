// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// TestAbsent: a rule that compares a field with zero, false or empty says what its absence means.
func TestAbsent(t *testing.T) {
	tests := map[string]struct{ when, want string }{
		"a number":             {"self.status.code == 0", "self.status.code"},
		"the other way round":  {"0 == self.status.code", "self.status.code"},
		"a flag":               {"self.status.up == false", "self.status.up"},
		"not":                  {"!self.status.up", "self.status.up"},
		"a text":               {"self.status.a.b == ''", "self.status.a.b"},
		"a size":               {"size(self.status.items) == 0", "self.status.items"},
		"a method":             {"self.status.items.size() == 0", "self.status.items"},
		"another number":       {"self.status.code == 1", ""},
		"asked":                {"has(self.status.code) && self.status.code == 0", ""},
		"another one is asked": {"has(self.status.codes) && self.status.code == 0", "self.status.code"},
		"with a value":         {"self.status.?code.orValue(0) == 0", ""},
		"of the spec":          {"self.spec.replicas == 0", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := catalog.Load(map[string][]byte{"lamps.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.example.org}
spec:
  for: {group: example.org, kind: Lamp}
  verdicts:
  - {when: "` + tt.when + `", verdict: Failed, reason: Dark}
`)})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tt.want != "" {
				want = []string{"lamps.example.org: verdicts[0]: " + tt.want + " is compared with zero, and may be absent"}
			}
			if diff := cmp.Diff(want, Absent(set.Kinds()[0])); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestAbsent_shipped: the packs say it.
func TestAbsent_shipped(t *testing.T) {
	set, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		for _, finding := range Absent(k) {
			t.Error(finding)
		}
	}
}
