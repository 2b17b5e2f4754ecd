// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"testing"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"github.com/tristate/tristate/proof/story"
)

// pruned: with only the fields that the controller keeps, a settled world is settled too.
func pruned(t *testing.T, w *story.MemoryWorld) {
	t.Helper()
	fields := relation.FieldsOf(w.Catalogs())
	g := relation.New(w.Catalogs())
	for _, o := range w.Graph().All() {
		g.Put(relation.FromContent(fields.Prune(o.GroupKind, o.Content)))
	}
	for _, o := range g.All() {
		in, ok := derive.Gather(g, o.ID, w.Now())
		if !ok {
			continue
		}
		if result := derive.Derive(in); result.Changed {
			t.Errorf("%s is judged otherwise without the fields that nothing reads: %v", o.ID, result.Transitions)
		}
	}
}

func TestFleetsPruned(t *testing.T) {
	eachFleet(t, func(t *testing.T, f *fleet) { pruned(t, settled(t, f.set, f.objects)) })
}
