// SPDX-License-Identifier: Apache-2.0

package export

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
)

const lamp = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.GROUP}
spec:
  for: {group: GROUP, kind: KIND}
  conditions:
  - type: Ready
    meaning: The lamp is lit.
    role: summary
    reasons:
    - {reason: Lit, status: "True", class: ok, meaning: It is lit.}
    - {reason: Broken, status: "False", class: terminal, meaning: The bulb is broken., remedy: Change the bulb.}
  - type: Powered
    meaning: There is power.
    reasons:
    - {reason: On, status: "True", class: ok, meaning: There is power.}
    - {reason: Broken, status: "False", class: terminal, meaning: The fuse is broken., remedy: Change the fuse.}
`

const anyKind = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: any.example.com}
spec: {for: {group: example.com, kind: "*"}, verdicts: [{when: "size(self.?status.orValue({})) == 0", verdict: Current, reason: Declared}]}
`

func load(t *testing.T, group, kind string) *catalog.Set {
	t.Helper()
	set, err := catalog.Load(map[string][]byte{"lamp.yaml": []byte(strings.NewReplacer("GROUP", group, "KIND", kind).Replace(lamp))})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSubjects(t *testing.T) {
	first := load(t, "example.org", "Lamp")
	second, err := catalog.Load(map[string][]byte{"any.yaml": []byte(anyKind)})
	if err != nil {
		t.Fatal(err)
	}
	const instead = ": tristate status judges it by conventions, which have no export; tristate infer drafts a catalog"
	tests := map[string]struct{ name, want string }{
		"by kind and group":          {"Lamp.example.org", "Lamp.example.org"},
		"by kind":                    {"Lamp", "Lamp.example.org"},
		"every kind of a group":      {"Chair.example.com", "Chair.example.com"},
		"a file in place of a kind":  {"shop/catalog.yaml", "shop/catalog.yaml is not a kind: name kinds, as Widget.example.org, and give the catalog with --catalogs shop/catalog.yaml"},
		"a kind without a catalog":   {"Chair.example.org", "no catalog judges the kind Chair.example.org" + instead},
		"a name without a group":     {"Chair", "no catalog judges the kind Chair" + instead},
		"a group of another catalog": {"Lamp.example.net", "no catalog judges the kind Lamp.example.net" + instead},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := Subjects([]string{test.name, test.name}, first, second)
			got := ""
			if err != nil {
				got = err.Error()
			}
			for _, s := range found {
				got += s.Name()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestStates: every cell is a state, and a summary follows a dependent condition that has failed.
func TestStates(t *testing.T) {
	subjects, err := Subjects([]string{"Lamp"}, load(t, "example.org", "Lamp"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, state := range States(subjects[0], subjects[0].Kinds[0]) {
		status, _ := state.Object["status"].(map[string]any)
		list, _ := status["conditions"].([]any)
		var text []string
		for _, one := range list {
			c := one.(map[string]any)
			text = append(text, c["type"].(string)+"="+c["status"].(string))
		}
		got[state.Name] = strings.Join(text, " ")
	}
	want := map[string]string{"no-status": "", "Ready=True/Lit": "Ready=True Powered=True", "Ready=False/Broken": "Ready=False Powered=True",
		"Powered=True/On": "Ready=True Powered=True", "Powered=False/Broken": "Ready=False Powered=False",
		"stale": "Ready=True Powered=True", "deleting": "Ready=True Powered=True"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
