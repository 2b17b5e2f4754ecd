// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/wiring"
	"github.com/tristate/tristate/verdict"
)

// A document of the derived conditions that is wrong is reported by every judgement that would read it: with its place if it cannot be
// loaded, or else by the expression. The rules that are right stay in force.
func TestWired_damaged(t *testing.T) {
	was := wired
	defer func() { wired = was }()
	service := string(wiring.ByKind()["Service"])
	for name, test := range map[string]struct{ old, text, says, reason string }{
		"a rule":     {"size(backend(self)) == 1 && serves", "size(backend(self)) == 1 & serves", "does not compile", "ExternalNotFound"},
		"a document": {"  for: {kind: Service,", "  for: {sort: x, kind: Service,", "kubernetes.yaml:", ""},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := []byte(strings.Replace(service, test.old, test.text, 1))
			wired = func() map[string]func() (*catalog.Set, error) {
				return map[string]func() (*catalog.Set, error){"Service": func() (*catalog.Set, error) {
					return catalog.LoadShipped(map[string][]byte{"kubernetes.yaml": damaged})
				}}
			}
			v := &View{Graph: New(nil), Judge: func(*Object) Judgement { return Judgement{Verdict: verdict.Current} }}
			o := FromContent(map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "a", "namespace": "b"},
				"spec": map[string]any{"type": "ExternalName", "externalName": "c.b.svc"}})
			v.Graph.Put(o)
			j := v.Judgement(o)
			if got := strings.Join(j.Contradictions, "; "); !strings.Contains(got, test.says) || j.Reason != test.reason {
				t.Errorf("want a contradiction with %q and reason %q, got %q and %q", test.says, test.reason, got, j.Reason)
			}
		})
	}
}
