// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const atRead = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: services.example}
spec:
  for: {kind: Service, versions: [v1]}
  relations:
    pods: {kind: Pod, selector: "{'matchLabels': self.spec.selector}"}
  conditions:
  - type: Routable
    polarity: positive
    meaning: It leads somewhere.
    derive:
      at: read
      rules:
      - {when: "size(related.pods) == 0", reason: NoPodMatches}
    reasons:
    - {reason: NoPodMatches, status: "False", meaning: "No pod."}
    - {reason: Routed, status: "True", meaning: "A pod."}
`

// TestAtRead: a condition that is derived when an object is read is for readers only: it makes its kind none that is declared, watched or
// written.
func TestAtRead(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"a.yaml": []byte(atRead)})
	if err != nil {
		t.Fatal(err)
	}
	service := schema.GroupVersionKind{Version: "v1", Kind: "Service"}
	if len(set.Kinds()) != 0 || set.Of(service) != nil {
		t.Error("the kind is declared")
	}
	if got := set.ReadBy(service); len(got) != 1 || got[0].Derivations[0].Type.Name != "Routable" {
		t.Errorf("derived when read: %v", got)
	}
	if got := set.ReadBy(schema.GroupVersionKind{Version: "v2", Kind: "Service"}); len(got) != 0 {
		t.Errorf("another version: %v", got)
	}
}

// TestAtRead_variable: a variable that reads related objects is written out in the rules that use it, by itself or by another one, so that
// each says by itself what it reads.
func TestAtRead_variable(t *testing.T) {
	text := strings.Replace(atRead, "  conditions:", "  variables: {few: \"size(related.pods) < variables.least\", least: \"2\", none: \"variables.few && self.spec.x == 1\"}\n  conditions:", 1)
	text = strings.Replace(text, "size(related.pods) == 0", "!variables.none || variables.least > 3", 1)
	set, err := catalog.Load(map[string][]byte{"a.yaml": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	k := set.ReadBy(schema.GroupVersionKind{Version: "v1", Kind: "Service"})[0]
	if got, want := k.Derivations[0].Rules[0].When.Source, "!((size(related.pods) < variables.least) && self.spec.x == 1) || variables.least > 3"; got != want {
		t.Errorf("rule %s, want %s", got, want)
	}
	if len(k.Variables) != 1 || k.Variables[0].Name != "least" {
		t.Errorf("variables %v, want least alone", k.Variables)
	}
}

func TestAtRead_bad(t *testing.T) {
	tests := map[string]struct{ old, text, want string }{
		"a written one among them": {"    reasons:",
			"    reasons:\n    - {reason: Other, status: \"True\", meaning: M.}\n  - type: Ready\n    meaning: M.\n    reasons:",
			"Ready is written"},
		"managed": {"  relations:", "  manage: {manager: tristate}\n  relations:", "never written"},
		"a mirror": {"      rules:\n      - {when: \"size(related.pods) == 0\", reason: NoPodMatches}",
			"      mirror: {of: pods}", "only rules"},
		"a variable about related objects in a relation": {"{kind: Pod, selector: \"{'matchLabels': self.spec.selector}\"}", "{kind: Pod, ref: variables.v}\n  variables: {v: related.pods}",
			"variable v reads related objects"},
		"labels without selector": {`selector: "{'matchLabels': self.spec.selector}"`, "where: item.a == self.a, labels: item.a",
			"labels goes with selector"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := catalog.Load(map[string][]byte{"a.yaml": []byte(strings.Replace(atRead, test.old, test.text, 1))})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}
