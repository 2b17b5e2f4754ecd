// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRandomSteps makes random steps on several definitions and their instances at once: specs, resources, compatible and breaking schemas,
// graphs that are invalid or lack a kind, CustomResourceDefinitions and definitions that are deleted. The operator is a process that is
// killed at random writes. After each round every condition and every resource has to be what follows from the specs alone, and in between
// nothing may be False where nobody has to act. KRO_STEPS is the number of steps, KRO_SEED repeats them:
//
//	KRO_STEPS=2000 KRO_SEED=1 go test . -run TestRandomSteps
func TestRandomSteps(t *testing.T) {
	t.Parallel()
	steps, seed := number(t, "KRO_STEPS", 60), number(t, "KRO_SEED", int(time.Now().UnixNano()%1e6))
	o := &oracle{side: start(t, "tristate", 1, asProcess), random: rand.New(rand.NewPCG(uint64(seed), 7)), taken: map[string]int{}}
	games := min(8, max(2, steps/20))
	t.Logf("KRO_SEED=%d, %d steps in %d definitions", seed, steps, games)
	for i := range games {
		g := &game{index: i, players: map[string]*player{"a": {}, "b": {}}, lent: map[string]string{}, edits: map[string][]time.Time{}}
		o.games = append(o.games, g)
		o.create(t, g.yaml(t))
		g.advance()
	}
	o.agree(t)
	for done := 0; done < steps && !t.Failed(); {
		if o.random.IntN(2) == 0 {
			o.fuse.before.Store(o.random.IntN(2) == 0)
			o.fuse.left.Store(int64(1 + o.random.IntN(3*games)))
		}
		if g := o.games[o.random.IntN(len(o.games))]; o.random.IntN(3) == 0 {
			if what := o.refused(t, g, []string{"a", "b"}[o.random.IntN(2)]); what != "" {
				g.log = append(g.log, what)
				o.taken["refused"]++
			}
		}
		for _, g := range o.games {
			if done < steps {
				g.trouble()
				o.refuses(g)
				what := o.step(t, g)
				g.advance()
				g.trouble()
				g.log = append(g.log, what)
				done++
			}
		}
		o.agree(t)
		o.taken["single writes refused"] += len(o.next.End())
		if o.fuse.left.Swap(0) > 0 { // there were fewer writes: it is killed while it has nothing to do
			o.process.end()
		}
		if done%200 < games {
			t.Logf("%d steps, %d kills, %d conditions and resources compared", done, o.kills, o.compared)
		}
	}
	t.Logf("%d steps, %d kills, %d conditions and resources compared, steps by kind: %v", steps, o.kills, o.compared, o.taken)
}

// oracle is a run.
type oracle struct {
	*side
	random   *rand.Rand
	games    []*game
	compared int
	taken    map[string]int
}

// agree waits until everything is as it is expected, and is an error where that does not come.
func (o *oracle) agree(t *testing.T) {
	t.Helper()
	var wrong map[*game][]string
	n := 0
	late, refused := time.Now().Add(world.Patience/4), 0
	for end := time.Now().Add(2 * world.Patience); ; time.Sleep(200 * time.Millisecond) {
		o.revive(t)
		if known := refused; o.next.Refused() > known { // what was refused would be tried again in half a minute
			refused = o.next.Refused()
			o.Wake(t)
		}
		var err error
		if wrong, n, err = o.compare(t); err == nil && len(wrong) == 0 {
			break
		}
		if time.Now().After(late) { // what it waits for is of interest also where it comes
			late = late.Add(time.Hour)
			for g, lines := range wrong {
				t.Logf("after %s, %s:\n  %s", world.Patience/4, strings.Join(g.log[max(0, len(g.log)-3):], "; "), strings.Join(lines, "\n  "))
			}
		}
		if time.Now().After(end) {
			if err != nil {
				t.Errorf("compare: %v", err)
			}
			break
		}
	}
	o.compared += n
	for g, lines := range wrong {
		t.Errorf("refused since the last comparison: %v\ndefinition %s, instances %+v\nsteps:\n  %s\nexpectation and cluster disagree:\n  %s",
			o.next.End(), g.name(), describe(g), strings.Join(g.log[max(0, len(g.log)-10):], "\n  "), strings.Join(lines, "\n  "))
	}
	for _, w := range o.counts.take() {
		for _, g := range o.games {
			mine := strings.Contains(w.path, "/"+g.plural()+"/") || strings.Contains(w.path, "/resourcegraphdefinitions/"+g.name()+"/")
			if mine && w.status == "False" && !g.excused {
				t.Errorf("nobody had to act, and %s of %s was False: %s %s\nsteps:\n  %s", w.conditionType, w.path, w.reason, w.message,
					strings.Join(g.log[max(0, len(g.log)-4):], "\n  "))
			}
		}
	}
	for _, g := range o.games {
		g.settle()
	}
}

func describe(g *game) string {
	out := fmt.Sprintf("draft %+v, crd %+v", g.draft, g.crd)
	for _, name := range slices.Sorted(maps.Keys(g.players)) {
		out += fmt.Sprintf("\n  %s: %+v", name, *g.players[name])
	}
	return out
}

// compare returns where the cluster is not as it is expected, and how much was compared.
func (o *oracle) compare(t *testing.T) (map[*game][]string, int, error) {
	t.Helper()
	wrong, n := map[*game][]string{}, 0
	have := map[string]map[string]string{} // resources by kind and name, with their data
	list := func(apiVersion, kind string) ([]unstructured.Unstructured, error) {
		l := &unstructured.UnstructuredList{}
		l.SetAPIVersion(apiVersion)
		l.SetKind(kind + "List")
		err := o.API.List(t.Context(), l, client.InNamespace("default"))
		return l.Items, err
	}
	for _, k := range [][2]string{{"apps/v1", "Deployment"}, {"v1", "Service"}, {"v1", "ConfigMap"}} {
		items, err := list(k[0], k[1])
		if err != nil {
			return nil, 0, err
		}
		for _, item := range items {
			have[k[1]+"/"+item.GetName()] = shown(item)
		}
	}
	for _, g := range o.games {
		says := func(format string, args ...any) { wrong[g] = append(wrong[g], fmt.Sprintf(format, args...)) }
		definition := o.read(t, g.yaml(t))
		if n++; (definition == nil) != g.gone {
			says("there is a definition: %v, want %v", definition != nil, !g.gone)
			continue
		}
		for name, want := range g.definitionCells() {
			n++
			check(says, "definition", definition, name, want)
		}
		crd := o.read(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", g.plural()+".kro.run"))
		if n++; (crd != nil) != (g.crd != nil) || crd != nil && crd.GetDeletionTimestamp() != nil {
			says("there is a CustomResourceDefinition: %v, want %v", crd != nil, g.crd != nil)
			continue
		}
		if !g.gone && g.served != nil && g.crd != nil {
			n++
			o.published(t, g, says)
		}
		if g.hasLamp {
			items, err := list("example.com/v1", g.lampKind())
			if err != nil {
				return nil, 0, err
			}
			for _, item := range items {
				have[g.lampKind()+"/"+item.GetName()] = shown(item)
			}
		}
		want := map[string]map[string]string{}
		for name, p := range g.players {
			maps.Copy(want, g.resources(name))
			u := o.read(t, g.at(t, name))
			if n++; (u != nil) != p.exists {
				says("instance %s exists: %v, want %v", name, u != nil, p.exists)
			}
			if u == nil || !p.exists {
				continue
			}
			for condition, cell := range g.cells(name) {
				n++
				check(says, "instance "+name, u, condition, cell)
			}
			alive(says, "instance "+name, u)
		}
		for _, name := range slices.Sorted(maps.Keys(have)) {
			_, object, _ := strings.Cut(name, "/")
			if _, wanted := want[name]; !wanted && strings.HasPrefix(object, fmt.Sprintf("g%d-", g.index)) {
				says("%s should not exist", name)
			}
		}
		for name, data := range want {
			if n++; !maps.Equal(data, have[name]) {
				says("%s has %v, want %v", name, have[name], data)
			}
		}
	}
	return wrong, n, nil
}

// check compares a condition with "Status Reason", whose reason may be empty; an empty cell is that of a condition that does not exist.
func check(says func(string, ...any), what string, o *unstructured.Unstructured, name, want string) {
	c := find(o, name)
	switch {
	case c == nil && want == "":
	case c == nil:
		says("%s has no %s, want %q", what, name, want)
	case want == "" || !strings.HasPrefix(string(c.Status)+" "+c.Reason, want):
		says("%s: %s is %s %s (%s), want %q", what, name, c.Status, c.Reason, c.Message, want)
	case c.ObservedGeneration != o.GetGeneration():
		says("%s: %s is of generation %d, want %d", what, name, c.ObservedGeneration, o.GetGeneration())
	}
}

// alive checks that no condition of an instance that is not being deleted speaks of deletion, whatever mixture of reasons its resources
// wait for: "The resources are being deleted" is what reason UnderDeletion means.
func alive(says func(string, ...any), what string, o *unstructured.Unstructured) {
	if o.GetDeletionTimestamp() != nil {
		return
	}
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, entry := range list {
		if c, _ := entry.(map[string]any); strings.Contains(fmt.Sprint(c["reason"], c["message"]), "UnderDeletion") {
			says("%s lives, and its %s is %s: %s", what, c["type"], c["reason"], c["message"])
		}
	}
}

// shown is the part of a resource that the expectation has.
func shown(o unstructured.Unstructured) map[string]string {
	out := map[string]string{}
	switch o.GetKind() {
	case "Deployment":
		n, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
		out["replicas"] = fmt.Sprint(n)
	case "Service":
		out["app"], _, _ = unstructured.NestedString(o.Object, "spec", "selector", "app")
	case "ConfigMap":
		out, _, _ = unstructured.NestedStringMap(o.Object, "data")
	}
	if o.GetDeletionTimestamp() != nil {
		out["being deleted"] = "true"
	}
	return out
}

// published checks that the catalog of the kind has the conditions of the resources of the graph, and no others.
func (o *oracle) published(t *testing.T, g *game, says func(string, ...any)) {
	t.Helper()
	u := o.read(t, g.catalog())
	if u == nil {
		says("there is no catalog")
		return
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "spec", "conditions")
	for id, want := range map[string]bool{"web": true, "side": g.served.side, "outside": g.served.outside != "", "lamp": g.served.lamp} {
		if has := slices.ContainsFunc(list, func(c any) bool { return c.(map[string]any)["type"] == "resources.kro.run/"+id }); has != want {
			says("the catalog has the resource %s: %v, want %v", id, has, want)
		}
	}
}

// replaced deletes an object, and waits until it is gone or made anew.
func (o *oracle) replaced(t *testing.T, ref *unstructured.Unstructured) {
	t.Helper()
	old := o.read(t, ref)
	if old == nil {
		return
	}
	o.remove(t, old)
	o.eventually(t, func() error {
		if now := o.read(t, ref); now != nil && now.GetUID() == old.GetUID() {
			return errors.New(ref.GetName() + " is still there")
		}
		return nil
	})
}
