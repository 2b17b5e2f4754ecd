// SPDX-License-Identifier: Apache-2.0

package derive

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestOtherwise: a reason that says that there is nothing to merge is not that of a merge of several reasons.
func TestOtherwise(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"test.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: racks.example.dev}
spec:
  for: {group: example.dev, kind: Rack, versions: [v1]}
  relations:
    widgets: {kind: Widget.example.dev, where: item.spec.rack == self.metadata.name}
  conditions:
  - type: WidgetsReady
    meaning: All widgets work.
    derive:
      aggregate: {of: widgets, counter: true}
      rules: [{reason: Empty}]
    reasons: [{reason: Empty, status: "False", meaning: There is none.}]
`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		reasons []string
		want    string
	}{
		"nothing":         {nil, "False Empty: "},
		"one reason":      {[]string{"Cut", "Cut"}, "False Cut: 0 of 2 completed: Ready(Cut) [w0, w1]"},
		"several reasons": {[]string{"Cut", "Hot"}, "False DependentsUnhealthy: 0 of 2 completed: Ready(Cut) [w0]; Ready(Hot) [w1]"},
		"all empty":       {[]string{"Empty", "Empty"}, "False Empty: 0 of 2 completed: Ready(Empty) [w0, w1]"},
		"some empty":      {[]string{"Empty", "Cut"}, "False DependentsUnhealthy: 0 of 2 completed: Ready(Cut) [w1]; Ready(Empty) [w0]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := relation.New(set)
			object := func(kind, name string, spec, status map[string]any) *relation.Object {
				o := relation.FromContent(map[string]any{"apiVersion": "example.dev/v1", "kind": kind, "metadata": map[string]any{"name": name},
					"spec": spec, "status": status})
				g.Put(o)
				return o
			}
			for i, reason := range c.reasons {
				object("Widget", fmt.Sprint("w", i), map[string]any{"rack": "r"},
					map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": reason}}})
			}
			in, ok := Gather(g, object("Rack", "r", nil, nil).ID, time.Now())
			if !ok {
				t.Fatal("not there")
			}
			got := ""
			for _, one := range Derive(in).Conditions() {
				got += fmt.Sprintf("%s %s: %s", one.Status, one.Reason, one.Message)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
