// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestPrinted: only changed objects are judged again, and changes are lines that differ from those printed last.
func TestPrinted(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g := relation.NewPacked(nil)
	roots := cluster.NewRoots(&relation.View{Graph: g})
	var k printed
	put := func(name, word string) {
		o := relation.FromContent(map[string]any{"kind": "Lamp", "metadata": map[string]any{"name": name}, "word": word})
		g.Put(o)
		roots.Put(o.ID)
	}
	drop := func(name string) {
		id := relation.ID{Name: name}
		id.Kind = "Lamp"
		g.Delete(id)
		roots.Remove(id)
	}
	var asked []string
	look := func(hidden verdict.Status) []string {
		asked = nil
		judge := func(o *relation.Object) relation.Judgement {
			asked = append(asked, o.Name)
			j := relation.Judgement{Verdict: verdict.Status(fmt.Sprint(o.Content["word"]))}
			if due := now.Truncate(time.Minute).Add(time.Minute); j.Verdict == "Waiting" {
				j.NextLook = due
			}
			return j
		}
		var nodes []*relation.Node
		roots.Round(now, judge, k.judged)
		for _, t := range k.entries() {
			if t.Judgement.Verdict != hidden {
				nodes = append(nodes, t.Node)
			}
		}
		var said []string
		for _, n := range k.changes(nodes) {
			said = append(said, n.Name+" "+string(n.Judgement.Verdict))
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
		{"at first all", func() { put("b", "Current"); put("a", "Current"); put("c", "Waiting") }, 3, "",
			[]string{"a Current", "b Current", "c Waiting"}},
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
		if diff := cmp.Diff(s.want, look(verdict.Status(s.hidden))); diff != "" {
			t.Errorf("%s: news: -want +got\n%s", s.name, diff)
		}
		if len(asked) != s.asked {
			t.Errorf("%s: judged again: %v", s.name, asked)
		}
	}
}

// fleet is a graph with instances of a kind of a real kro, whose children count, and a Deployment of each.
type fleet struct {
	*cluster.Roots
	print printed
	judge func(*relation.Object) relation.Judgement
}

func newFleet(tb testing.TB, n int) *fleet {
	tb.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		tb.Fatal(err)
	}
	f := &fleet{Roots: cluster.NewRoots(&relation.View{Graph: relation.NewPacked(set)}),
		judge: relation.JudgeBy(pack.Default(set), set, time.Now())}
	ready := func(kind string) any {
		return map[string]any{"type": kind, "status": "True", "reason": "Ready", "observedGeneration": int64(1)}
	}
	for i := range n {
		name := fmt.Sprintf("app-%05d", i)
		app := relation.FromContent(map[string]any{"apiVersion": "kro.run/v1alpha1", "kind": "WebApp",
			"metadata": map[string]any{"name": name, "namespace": "shop", "uid": name, "generation": int64(1)},
			"status": map[string]any{"state": "ACTIVE", "conditions": []any{ready("InstanceManaged"), ready("GraphResolved"),
				ready("ResourcesReady"), ready("Ready")}}})
		f.View.Graph.Put(app)
		f.Put(app.ID)
		f.deploy(i, 2)
	}
	f.View.Graph.Cover(schema.GroupKind{Group: "apps", Kind: "Deployment"}, "")
	return f
}

// deploy puts the Deployment of an instance, with some of its two replicas available.
func (f *fleet) deploy(i, available int) relation.ID {
	name := fmt.Sprintf("app-%05d", i)
	o := relation.FromContent(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": name, "namespace": "shop", "uid": "d" + name, "generation": int64(1),
			"labels": map[string]any{"kro.run/instance-id": name}}, "spec": map[string]any{"replicas": int64(2)},
		"status": map[string]any{"observedGeneration": int64(1), "replicas": int64(2), "updatedReplicas": int64(2),
			"readyReplicas": int64(available), "availableReplicas": int64(available),
			"conditions": []any{map[string]any{"type": "Available", "status": "True"}}}})
	f.View.Graph.Put(o)
	return o.ID
}

// look judges what changed, and returns the objects that are printed and how many were judged.
func (f *fleet) look(changed ...relation.ID) (said []string, judged int) {
	f.Changed(f.View.Affected(changed))
	f.Round(time.Now(), f.judge, func(id relation.ID, o *relation.Object, j relation.Judgement) {
		judged++
		f.print.judged(id, o, j)
	})
	var nodes []*relation.Node
	for _, e := range f.print.entries() {
		nodes = append(nodes, e.Node)
	}
	for _, n := range f.print.changes(nodes) {
		said = append(said, n.Name+" "+string(n.Judgement.Verdict))
	}
	return said, judged
}

// TestPrinted_children: a child that changes makes its owner be judged again, and no other of many.
func TestPrinted_children(t *testing.T) {
	f := newFleet(t, 50)
	if said, judged := f.look(); len(said) != 50 || judged != 50 {
		t.Fatalf("%d printed, %d judged, want 50 of each", len(said), judged)
	}
	for _, step := range []struct {
		instance, available int
		want                string
	}{{7, 1, "app-00007 InProgress"}, {8, 0, "app-00008 InProgress"}, {7, 2, "app-00007 Current"}} {
		said, judged := f.look(f.deploy(step.instance, step.available))
		if diff := cmp.Diff([]string{step.want}, said); diff != "" || judged != 1 {
			t.Errorf("%d judged, want 1; -want +got\n%s", judged, diff)
		}
	}
}

// TestPrinted_once: two changes of a Deployment and one of another make a verdict of each Deployment, and of each instance in which one
// counts.
func TestPrinted_once(t *testing.T) {
	f := newFleet(t, 50)
	f.look()
	verdicts, judge := 0, f.judge
	f.judge = func(o *relation.Object) relation.Judgement { verdicts++; return judge(o) }
	f.look(f.deploy(7, 1), f.deploy(7, 0), f.deploy(8, 0))
	if verdicts != 4 {
		t.Errorf("%d verdicts, want 4", verdicts)
	}
}

// BenchmarkPrinted_children is the cost of a child that changes, among instances whose children count.
func BenchmarkPrinted_children(b *testing.B) {
	for _, n := range []int{50, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newFleet(b, n)
			f.look()
			available := 0
			for b.Loop() {
				available = 3 - max(available, 1)
				f.look(f.deploy(7, available))
			}
		})
	}
}
