// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestTopOfAChain: the item of an object at the top of a chain of unhealthy objects costs memory in proportion to the length of the chain.
func TestTopOfAChain(t *testing.T) {
	chain := func(n int) *relation.Node {
		var below *relation.Node
		for i := n; i > 0; i-- {
			id := relation.ID{GroupKind: schema.GroupKind{Group: "example.org", Kind: "Link"}, Name: fmt.Sprintf("l%d", i)}
			node := &relation.Node{ID: id, Object: &relation.Object{ID: id}, Edge: "owner", Judgement: relation.Judgement{
				Verdict: verdict.Failed, Type: "Ready", Status: "False", Reason: "Broken",
				Message: fmt.Sprintf("part %d is broken", i)}}
			if below != nil {
				node.Children = []*relation.Node{below}
			}
			below = node
		}
		return below
	}
	allocated := func(n int) uint64 {
		root := chain(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if item := render.Top(root); item.Object.Name != "l1" {
			t.Fatal(item.Object)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(50), allocated(100)
	if t.Logf("%d and %d bytes", few, many); many > 3*few {
		t.Errorf("%d bytes of a chain of 100, %d of 50", many, few)
	}
}
