// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// dumps calls do for every dump at hand: the scenes, the shop after each edit, and the shared ones, if they are there.
func dumps(t *testing.T, do func(name string, g *relation.Graph, judge func(*relation.Object) relation.Judgement)) {
	engine := pack.Default(nil)
	judge := relation.JudgeBy(engine, nil, at)
	for _, scene := range scenes(t) {
		_, rest, _ := strings.Cut(string(scene.Data), "\n")
		do(scene.Name, graphOf(t, rest), judge)
	}
	for _, e := range edits {
		on := slices.Sorted(maps.Keys(services))
		if e.on != "" {
			on = strings.Fields(e.on)
		}
		s := newShop()
		e.do(s, on[0])
		do("edit: "+e.kind, s.graph(), judge)
	}
	for _, folder := range []string{"causes", "clock-and-states", "packs"} {
		files, _ := filepath.Glob("../../../../shared/cases/" + folder + "/*.yaml")
		if len(files) == 0 {
			t.Logf("not at hand: ../shared/cases/%s is absent", folder)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g, now := graphOf(t, strings.TrimPrefix(string(data), "---\n")), time.Time{}
			for _, o := range g.All() {
				if newest := verdict.Newest(o.Content, time.Now()); newest.After(now) {
					now = newest
				}
			}
			do(filepath.Base(file), g, relation.JudgeBy(engine, nil, now))
		}
	}
}

// TestNothingIsDropped: every object that is broken or overdue is a cause of its dump, or is explained by one. Tasks that go on are none:
// a Job may retry its pods.
func TestNothingIsDropped(t *testing.T) {
	dumps(t, func(name string, g *relation.Graph, judge func(*relation.Object) relation.Judgement) {
		v := &relation.View{Graph: g, Judge: judge}
		inTree, named := map[relation.ID]relation.Judgement{}, map[relation.ID]bool{}
		var visit func(n *relation.Node)
		visit = func(n *relation.Node) {
			if !n.Missing() && !n.Blamed() {
				inTree[n.ID] = n.Judgement
			}
			for _, child := range n.Children {
				visit(child)
			}
		}
		var roots []*relation.Node
		for _, id := range v.Tops(g.IDs(schema.GroupKind{})) {
			roots = append(roots, v.Build(id))
			visit(roots[len(roots)-1])
		}
		for _, c := range v.Ranked(roots) {
			for _, n := range c.Nodes {
				named[n.ID] = true
			}
			for _, id := range c.Explains {
				named[id] = true
			}
		}
		for id, j := range inTree {
			if (j.Overdue || j.Verdict == verdict.Failed || j.Verdict == verdict.Degraded) && !named[id] {
				t.Errorf("%s: %s is %s %s, and no cause names it", name, id, j.Verdict, j.Reason)
			}
		}
	})
}

// TestOrderChangesNothing: the causes of a dump are the same in whichever order its hierarchies are read.
func TestOrderChangesNothing(t *testing.T) {
	dumps(t, func(name string, g *relation.Graph, judge func(*relation.Object) relation.Judgement) {
		causes := func(backwards bool) (out []string) {
			v := &relation.View{Graph: g, Judge: judge}
			ids := v.Tops(g.IDs(schema.GroupKind{}))
			if backwards {
				slices.Reverse(ids)
			}
			var roots []*relation.Node
			for _, id := range ids {
				roots = append(roots, v.Build(id))
			}
			for _, c := range v.Ranked(roots) {
				out = append(out, fmt.Sprint(c.Node.ID, " ", c.Node.Judgement.Reason))
			}
			slices.Sort(out)
			return out
		}
		if one, other := causes(false), causes(true); !slices.Equal(one, other) {
			t.Errorf("%s: %v, and in the other order %v", name, one, other)
		}
	})
}

// TestHealthyIsSilent: a shop in which nothing is broken has no cause.
func TestHealthyIsSilent(t *testing.T) {
	g := newShop().graph()
	v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, at)}
	var roots []*relation.Node
	for _, id := range v.Tops(g.IDs(schema.GroupKind{})) {
		roots = append(roots, v.Build(id))
	}
	for _, c := range v.Ranked(roots) {
		t.Errorf("%s %s: %s", c.Node.ID, c.Node.Judgement.Reason, c.Node.Judgement.Message)
	}
}
