// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// shipped loads the catalogs of the stories that we ship. Other systems have operators of their own to run theirs.
func shipped(t testing.TB) *catalog.Set {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, "cluster-api/catalog.yaml")
	if err != nil {
		t.Fatalf("load catalogs:\n%v", err)
	}
	return set
}

// widgets is a small catalog of its own: Widgets with a leaf, a clock and a summary, Racks that aggregate them.
const widgets = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.example.com}
spec:
  for: {group: example.com, kind: Widget}
  conditions:
  - type: Ready
    meaning: It works.
    derive: {summary: {}}
    reasons: [{reason: Fine, status: "True", meaning: Fine.}, {reason: Broken, status: "False", meaning: Broken.}]
  - type: Powered
    meaning: It has power.
    reasons:
    - {reason: PowerOn, status: "True", meaning: "On."}
    - {reason: Tripped, status: "False", severity: Warning, meaning: A fuse is out., aliases: [FuseOut]}
    - {reason: Cut, status: "False", severity: Error, meaning: The cable is cut.}
    - {reason: NoMeter, status: "Unknown", meaning: There is no meter.}
  - type: OldEnough
    meaning: It is older than ten minutes.
    role: informational
    derive:
      rules:
      - {when: "after(timestamp(self.metadata.creationTimestamp), duration('10m'))", reason: Old}
      - {reason: Young}
    reasons: [{reason: Old, status: "True", meaning: Old.}, {reason: Young, status: "False", meaning: Young.}]
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: racks.example.com}
spec:
  for: {group: example.com, kind: Rack}
  relations:
    widgets: {kind: Widget.example.com, owned: true}
  conditions:
  - type: Ready
    meaning: All widgets work.
    derive:
      aggregate: {of: widgets}
      rules: [{reason: Empty}]
    reasons:
    - {reason: AllFine, status: "True", meaning: Fine.}
    - {reason: Broken, status: "False", meaning: Broken.}
    - {reason: Empty, status: "False", meaning: Empty.}
`

func widgetSet(t testing.TB) *catalog.Set {
	t.Helper()
	set, err := catalog.Load(map[string][]byte{"widgets.yaml": []byte(widgets)})
	if err != nil {
		t.Fatalf("load catalog:\n%v", err)
	}
	return set
}

func widgetID(kind, name string) relation.ID {
	return relation.ID{GroupKind: schema.GroupKind{Group: "example.com", Kind: kind}, Namespace: "default", Name: name}
}

func widget(kind, name string, more ...map[string]any) map[string]any {
	out := map[string]any{"apiVersion": "example.com/v1", "kind": kind, "metadata": map[string]any{"name": name}}
	for _, m := range more {
		for key, value := range m {
			if key == "metadata" {
				for k, v := range value.(map[string]any) {
					out["metadata"].(map[string]any)[k] = v
				}
				continue
			}
			out[key] = value
		}
	}
	return out
}

func ownedBy(kind, name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"ownerReferences": []any{
		map[string]any{"apiVersion": "example.com/v1", "kind": kind, "name": name}}}}
}

// run parses and runs a story in a fresh memory world.
func run(t *testing.T, set *catalog.Set, text string) (*story.MemoryWorld, error) {
	t.Helper()
	s, err := story.Parse("test.txtar", []byte(text))
	if err != nil {
		return nil, err
	}
	w := story.NewMemoryWorld(set)
	return w, (&story.Runner{World: w}).Run(context.Background(), s)
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
