// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/relation"
)

// TestPrinted: only changed objects are judged again, and changes are lines that differ from those printed last.
func TestPrinted(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g, roots := relation.NewPacked(nil), map[relation.ID]bool{}
	var k printed
	put := func(name, word string) {
		o := relation.FromContent(map[string]any{"kind": "Lamp", "metadata": map[string]any{"name": name}, "word": word})
		g.Put(o)
		roots[o.ID] = true
		k.changed(o.ID)
	}
	drop := func(name string) {
		id := relation.ID{Name: name}
		id.Kind = "Lamp"
		g.Delete(id)
		delete(roots, id)
		k.changed(id)
	}
	var asked []string
	look := func(hidden string) []string {
		asked = nil
		judge := func(o *relation.Object) relation.Judgement {
			asked = append(asked, o.Name)
			j := relation.Judgement{Verdict: fmt.Sprint(o.Content["word"])}
			if due := now.Truncate(time.Minute).Add(time.Minute); j.Verdict == "Waiting" {
				j.NextLook = due
			}
			return j
		}
		var nodes []*relation.Node
		for _, t := range k.update(g, roots, nil, judge, false, now) {
			if t.Judgement.Verdict != hidden {
				nodes = append(nodes, t.Node)
			}
		}
		var said []string
		for _, n := range k.changes(nodes) {
			said = append(said, n.Name+" "+n.Judgement.Verdict)
		}
		return said
	}
	steps := []struct {
		name   string
		change func()
		asked  int
		hidden string
		want   []string
	}{
		{"at first all", func() { put("b", "Current"); put("a", "Current"); put("c", "Waiting") }, 3, "", []string{"a Current", "b Current", "c Waiting"}},
		{"nothing", func() {}, 0, "", nil},
		{"what comes", func() { put("d", "Current") }, 1, "", []string{"d Current"}},
		{"what changes", func() { put("b", "Failed") }, 1, "", []string{"b Failed"}},
		{"the same once more", func() { put("b", "Failed") }, 1, "", nil},
		{"what goes", func() { drop("a") }, 0, "", []string{"a NotFound"}},
		{"gone and back", func() { drop("d"); put("d", "Current") }, 1, "", nil},
		{"time", func() { now = now.Add(time.Minute) }, 1, "", nil},
		{"shown no longer", func() {}, 0, "Failed", []string{"b Failed"}},
		{"still not", func() {}, 0, "Failed", nil},
		{"shown again", func() {}, 0, "", []string{"b Failed"}},
		{"gone while not shown", func() { put("b", "Hidden"); drop("b") }, 0, "", []string{"b NotFound"}},
	}
	for _, s := range steps {
		s.change()
		if diff := cmp.Diff(s.want, look(s.hidden)); diff != "" {
			t.Errorf("%s: news: -want +got\n%s", s.name, diff)
		}
		if len(asked) != s.asked {
			t.Errorf("%s: judged again: %v", s.name, asked)
		}
	}
}
