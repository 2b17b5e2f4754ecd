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

func TestAtRead_bad(t *testing.T) {
	tests := map[string]struct{ old, text, want string }{
		"a written one among them": {"    reasons:",
			"    reasons:\n    - {reason: Other, status: \"True\", meaning: M.}\n  - type: Ready\n    meaning: M.\n    reasons:",
			"Ready is written"},
		"managed": {"  relations:", "  manage: {manager: tristate}\n  relations:", "never written"},
		"a mirror": {"      rules:\n      - {when: \"size(related.pods) == 0\", reason: NoPodMatches}",
			"      mirror: {of: pods}", "only rules"},
		"labels without selector": {`selector: "{'matchLabels': self.spec.selector}"`, "where: item.a == self.a, labels: self.a",
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
