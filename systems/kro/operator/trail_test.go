// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"slices"
	"testing"
)

// trail has the cells that statuses had, as "KIND Type=Status Reason", and those that went while their object lived on.
type trail struct {
	now           map[string][]string // by uid
	reached, left map[string]bool
}

// add notes a status that was sent. One of an object without a uid says nothing about what the object had before.
func (t *trail) add(kind, uid string, cells []string) {
	if t.now == nil {
		t.now, t.reached, t.left = map[string][]string{}, map[string]bool{}, map[string]bool{}
	}
	for _, cell := range cells {
		t.reached[kind+" "+cell] = true
	}
	if uid == "" {
		return
	}
	for _, had := range t.now[uid] {
		if !slices.Contains(cells, had) {
			t.left[kind+" "+had] = true
		}
	}
	t.now[uid] = cells
}

// documented are the cells that the document has: its two examples, of a definition and of an instance (statements 18, 22, 23, 28 and 30).
var documented = []string{
	"ResourceGraphDefinition Ready=True AllReady",
	"ResourceGraphDefinition ResourceGraphReady=True AllReady",
	"ResourceGraphDefinition ResourceGraphKindReady=True Accepted",
	"WebApp Ready=True AllReady",
	"WebApp InstanceSynced=True Synced",
}

// documentedCells tests that each cell of the document was reached and left again while its object lived on, in what the scenarios before
// it have done.
func documentedCells(t *testing.T, s *side) {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	for _, cell := range documented {
		if !s.counts.trail.reached[cell] {
			t.Errorf("never reached: %s", cell)
		} else if !s.counts.trail.left[cell] {
			t.Errorf("reached and never left: %s", cell)
		}
	}
	t.Logf("cells reached: %d, left again while the object lived on: %d", len(s.counts.trail.reached), len(s.counts.trail.left))
}

func TestTrail(t *testing.T) {
	var tr trail
	tr.add("A", "1", []string{"Ready=True Fine"})
	tr.add("A", "2", []string{"Ready=False Bad"}) // another object, of the same name or not
	if !tr.reached["A Ready=True Fine"] || len(tr.left) != 0 {
		t.Errorf("%+v", tr)
	}
	tr.add("A", "1", nil)
	if !tr.left["A Ready=True Fine"] || tr.left["A Ready=False Bad"] {
		t.Errorf("%+v", tr)
	}
}
