// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/wiring"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// TestScenes: in each scene the object of its first line is the first cause, and the only one, with the text about it. In those of nothing
// no cause is named but what is in progress within its budget.
func TestScenes(t *testing.T) {
	for _, scene := range scenes(t) {
		t.Run(scene.Name, func(t *testing.T) {
			first, rest, _ := strings.Cut(string(scene.Data), "\n")
			object, text, found := strings.Cut(strings.TrimPrefix(first, "# "), ": ")
			g := graphOf(t, rest)
			v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, at)}
			var roots []*relation.Node
			for _, id := range v.Tops(g.IDs(schema.GroupKind{})) {
				roots = append(roots, v.Build(id))
			}
			var got []string
			for _, c := range v.Ranked(roots) {
				if j := c.Node.Judgement; found || !c.Waiting {
					got = append(got, fmt.Sprintf("%s/%s %s %s=%s %s", c.Node.Kind, c.Node.Name, j.Verdict, j.Type, j.Reason, j.Message))
				}
			}
			switch {
			case !found && len(got) > 0, found && len(got) != 1, found &&
				(!strings.HasPrefix(got[0], object+" ") || !strings.Contains(got[0], text)):
				t.Errorf("causes are\n  %s\nwant %s", strings.Join(got, "\n  "), first)
			}
		})
	}
}

// scenes are those of the files.
func scenes(t testing.TB) (out []txtar.File) {
	for _, name := range []string{"scenes", "campaign"} {
		archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, archive.Files...)
	}
	return out
}

// graphOf has the objects of YAML documents.
func graphOf(t testing.TB, documents string) *relation.Graph {
	g := relation.New(nil)
	for _, document := range strings.Split(documents, "\n---\n") {
		var o map[string]any
		data, err := yaml.YAMLToJSON([]byte(document))
		if err == nil {
			err = json.Unmarshal(data, &o)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		g.Put(relation.FromContent(o))
	}
	return g
}

// TestMessages: each rule with a message applies in a scene or after an edit, and its message can be evaluated there.
func TestMessages(t *testing.T) {
	var graphs []*relation.Graph
	for _, scene := range scenes(t) {
		graphs = append(graphs, graphOf(t, string(scene.Data)))
	}
	for _, e := range edits {
		on := slices.Sorted(maps.Keys(services))
		if e.on != "" {
			on = strings.Fields(e.on)
		}
		s := newShop()
		e.do(s, on[0])
		graphs = append(graphs, s.graph())
	}
	reached := map[string]bool{}
	var visit func(n *relation.Node)
	visit = func(n *relation.Node) {
		j := n.Judgement
		reached[j.Rule+"="+j.Reason], reached[n.Kind+"="+j.Reason], reached[n.Kind+"="+string(j.Verdict)] = true, true, true
		for _, text := range j.Contradictions {
			reached["a doubt="+text[:max(strings.Index(text, ":"), 0)]] = true
			if strings.Contains(text, "are wrong: ") {
				t.Errorf("%s: %s", n.ID, text)
			}
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	for _, g := range graphs {
		v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, at)}
		for _, id := range g.IDs(schema.GroupKind{}) {
			visit(v.Build(id))
		}
	}
	set, err := catalogs()
	if err != nil {
		t.Fatal(err)
	}
	sources, _ := catalog.Parse("", wiring.Document)
	for _, source := range sources {
		k := set.ReadBy(source.Spec.For.All()[0].WithVersion(""))[0]
		for _, d := range k.Derivations {
			for _, rule := range d.Rules {
				applies := func(gk schema.GroupKind) bool {
					return reached["derived/"+gk.Kind+"."+d.Type.Name+"="+rule.Reason.Name] || reached[gk.Kind+"="+rule.Reason.Name] ||
						reached[gk.Kind+"=Terminating"] // where it is only said of what holds the object
				}
				if rule.Message != nil && !reached["a doubt="+rule.Reason.Name] && !slices.ContainsFunc(source.Spec.For.All(), applies) {
					t.Errorf("no scene and no edit has %s.%s=%s", k.For.Kind, d.Type.Name, rule.Reason.Name)
				}
			}
		}
	}
}

// TestOverdueImprovesNothing: the verdict of an object that is overdue is the one that it has within its budget.
func TestOverdueImprovesNothing(t *testing.T) {
	judge := relation.JudgeBy(pack.Default(nil), nil, at)
	verdicts := func(g *relation.Graph, overdue bool) map[relation.ID]relation.Judgement {
		v := &relation.View{Graph: g, Judge: func(o *relation.Object) relation.Judgement {
			j := judge(o)
			j.Overdue = overdue && j.Verdict == verdict.InProgress
			return j
		}}
		out := map[relation.ID]relation.Judgement{}
		for _, o := range g.All() {
			out[o.ID] = v.Judgement(o)
		}
		return out
	}
	for _, scene := range scenes(t) {
		_, rest, _ := strings.Cut(string(scene.Data), "\n")
		g := graphOf(t, rest)
		within := verdicts(g, false)
		for id, late := range verdicts(g, true) {
			if late.Verdict != within[id].Verdict || late.Reason != within[id].Reason {
				t.Errorf("%s: %s is %s %s within its budget, and %s %s when it is overdue", scene.Name, id, within[id].Verdict, within[id].Reason,
					late.Verdict, late.Reason)
			}
		}
	}
}
