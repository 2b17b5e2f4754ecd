// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// world is a source on a clock that only the test moves.
type world struct {
	fleet   *Fleet
	source  *Source
	now     time.Time
	version int
}

func newWorld() *world {
	w := &world{now: noon}
	clock := func() time.Time { return w.now }
	set := &catalog.Set{}
	w.fleet = New(clock)
	store := history.Open("", history.Options{Now: clock})
	w.source = w.fleet.Add(Options{Graph: relation.NewPacked(set), Clock: clock, Store: store,
		Judge: func() Judge { return relation.JudgeBy(pack.Default(set), set, w.now) }})
	return w
}

// sync makes some objects those of the world.
func (w *world) sync(objects ...map[string]any) {
	var list []*relation.Object
	for _, o := range objects {
		w.version++
		o["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(w.version)
		list = append(list, relation.FromContent(o))
	}
	w.source.Sync(list)
}

// widget is an object with one condition.
func widget(namespace, name, status, reason string, since time.Time) map[string]any {
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"namespace": namespace, "name": name, "uid": namespace + name, "generation": int64(1),
			"labels": map[string]any{"app": name}},
		"status": map[string]any{"observedGeneration": int64(1),
			"conditions": []any{map[string]any{"type": "Ready", "status": status, "reason": reason, "message": "says " + reason,
				"lastTransitionTime": since.Format(time.RFC3339)}}}}
}

// owned makes an object that a widget owns.
func owned(o map[string]any, owner string) map[string]any {
	m := o["metadata"].(map[string]any)
	m["ownerReferences"] = []any{map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "name": owner,
		"uid": m["namespace"].(string) + owner, "controller": true}}
	return o
}

func names(list []api.Row) []string {
	out := []string{}
	for _, r := range list {
		out = append(out, r.Object.Name)
	}
	return out
}

func TestWindow(t *testing.T) {
	w := newWorld()
	w.sync(widget("a", "good", "True", "Fine", noon), widget("a", "old", "False", "Broken", noon.Add(-time.Hour)),
		widget("b", "new", "False", "Broken", noon), widget("b", "other", "True", "Fine", noon))
	tests := map[string]struct {
		q    Query
		by   string
		want []string
	}{
		"all, worst and oldest first": {Query{}, "problems", []string{"old", "new", "good", "other"}},
		"by name":                     {Query{}, "name", []string{"good", "old", "new", "other"}},
		"unhealthy":                   {Query{Unhealthy: true}, "problems", []string{"old", "new"}},
		"namespace":                   {Query{Namespaces: []string{"b"}}, "name", []string{"new", "other"}},
		"kind":                        {Query{Kinds: []string{"Widget.example.com"}, Words: []string{"oth"}}, "name", []string{"other"}},
		"text of a message":           {Query{Words: []string{"says", "broken"}}, "name", []string{"old", "new"}},
		"no verdict":                  {Query{Verdicts: []string{"Suspended"}}, "name", []string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := w.fleet.Window(test.q, test.by, 0, 10)
			if diff := cmp.Diff(test.want, names(got.Rows)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got.Filtered != len(test.want) || got.Total != 4 {
				t.Errorf("%d of %d, want %d of 4", got.Filtered, got.Total, len(test.want))
			}
		})
	}
	if got := w.fleet.Window(Query{}, "name", 1, 2); !slices.Equal(names(got.Rows), []string{"old", "new"}) || got.Filtered != 4 {
		t.Errorf("a part is %v of %d", names(got.Rows), got.Filtered)
	}
}

// A sorted list that is brought up to date by the journal is the list that is sorted anew.
func TestMerge(t *testing.T) {
	w := newWorld()
	for round := range 30 {
		var list []map[string]any
		for i := range 40 {
			if (i+round)%5 != 0 {
				list = append(list, widget("ns", fmt.Sprintf("w%02d", i), []string{"True", "False"}[(i*round)%2], fmt.Sprint("R", round%3),
					noon.Add(time.Duration(i*round%7)*time.Minute)))
			}
		}
		w.sync(list...)
		for _, by := range []string{"problems", "name", "age"} {
			got, _ := w.fleet.sorted(by)
			want := slices.SortedFunc(slices.Values(slices.Clone(got)), w.fleet.orders[by].compare)
			if !slices.Equal(got, want) || len(got) != len(list) {
				t.Fatalf("round %d, by %s: %d rows, want %d in order", round, by, len(got), len(list))
			}
		}
	}
}

func TestDelta(t *testing.T) {
	w := newWorld()
	w.sync(widget("a", "x", "True", "Fine", noon), widget("a", "y", "False", "Broken", noon), widget("a", "z", "False", "Broken", noon))
	seq, _, _ := w.fleet.Seq()
	q := Query{Unhealthy: true}
	if _, any := w.fleet.Delta(q, seq); any {
		t.Error("nothing changed, and there is a delta")
	}
	w.sync(widget("a", "x", "False", "Broken", noon), widget("a", "y", "True", "Fine", noon))
	d, ok := w.fleet.Delta(q, seq)
	slices.Sort(d.Removed)
	want := []string{"/Widget.example.com/a/y", "/Widget.example.com/a/z"} // one left the filter, the other is gone
	if diff := cmp.Diff(want, d.Removed); !ok || diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if !slices.Equal(names(d.Rows), []string{"x"}) || d.Prev != seq || d.Filtered != 1 || d.Total != 2 || d.Counts.Unhealthy != 1 {
		t.Errorf("delta is %+v", d)
	}
	if d, _ := w.fleet.Delta(q, seq+1_000_000); !d.Reload {
		t.Error("a sequence of the future is no gap")
	}
}

// One cause that several objects share is one, with its victims.
func TestOverview(t *testing.T) {
	w := newWorld()
	var list []map[string]any
	for i := range 5 {
		top, below := fmt.Sprint("top", i), fmt.Sprint("low", i)
		list = append(list, widget("a", top, "False", "ChildrenNotReady", noon),
			owned(widget("a", below, "False", "KeyMissing", noon.Add(-time.Minute)), top))
	}
	w.sync(append(list, widget("a", "fine", "True", "Fine", noon))...)
	o := w.fleet.Overview(Query{}, 10)
	if len(o.Causes) != 1 || o.Causes[0].Like != 4 || o.Causes[0].Explains != 5 || o.Causes[0].Object.Reason != "KeyMissing" {
		t.Fatalf("causes are %+v, want one of five objects that explains five", o.Causes)
	}
	victims := w.fleet.Window(Query{Cause: o.Causes[0].ID}, "name", 0, 100)
	if victims.Filtered != 10 {
		t.Errorf("the cause has %d members and victims, want 10", victims.Filtered)
	}
	if o := w.fleet.Overview(Query{Words: []string{"top3"}}, 10); len(o.Causes) != 1 || o.Causes[0].Explains != 1 {
		t.Errorf("of one victim the causes are %+v", o.Causes)
	}
}

// A reader who may not see a namespace learns nothing of it: no count, no name, no cause.
func TestRights(t *testing.T) {
	w := newWorld()
	w.sync(widget("mine", "top", "False", "ChildrenNotReady", noon),
		owned(widget("mine", "low", "False", "KeyMissing", noon.Add(-time.Minute*30)), "top"), widget("theirs", "secret", "False", "KeyMissing",
			noon.Add(-time.Hour)))
	only := func(namespace string) *Fleet {
		return w.fleet.As(Rights{Key: namespace, May: func(_ *Source, _ schema.GroupKind, n string) bool { return n == namespace }})
	}
	mine := only("mine")
	window := mine.Window(Query{}, "name", 0, 10)
	if window.Total != 2 || window.Counts.Unhealthy != 2 || !slices.Equal(names(window.Rows), []string{"low", "top"}) {
		t.Errorf("window is %+v", window)
	}
	if want := []api.Hidden{{Resource: "Widget.example.com"}}; !cmp.Equal(want, window.Hidden) {
		t.Errorf("hidden is %+v, want %+v", window.Hidden, want)
	}
	o := mine.Overview(Query{}, 10)
	if len(o.Causes) != 1 || o.Causes[0].Object.Object.Name != "low" || o.Causes[0].Like != 0 || o.Causes[0].Explains != 1 {
		t.Fatalf("causes are %+v, want one by the name of an object that may be seen", o.Causes)
	}
	if got := mine.Window(Query{Cause: o.Causes[0].ID}, "name", 0, 10); got.Filtered != 2 {
		t.Errorf("of that cause %d objects are seen, want 2", got.Filtered)
	}
	secret := relation.ID{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, Namespace: "theirs", Name: "secret"}
	source := mine.Source("")
	if _, ok := mine.Tree(t.Context(), source, secret, TreeOptions{}); ok {
		t.Error("there is a tree of an object that may not be seen")
	}
	if _, ok := mine.Why(t.Context(), source, secret); ok {
		t.Error("there is an explanation of an object that may not be seen")
	}
	if _, ok := mine.History(t.Context(), source, secret, noon.Add(-time.Hour), noon); ok {
		t.Error("there is a history of an object that may not be seen")
	}
	w.sync(widget("tops", "top", "False", "ChildrenNotReady", noon), map[string]any{"apiVersion": "example.com/v1", "kind": "Hidden",
		"metadata": map[string]any{"namespace": "x", "name": "x"}})
	if o := only("tops").Overview(Query{}, 10); o.Counts.Total != 1 {
		t.Errorf("%d objects are counted, want 1", o.Counts.Total)
	}
	if got := only("mine").Window(Query{}, "name", 0, 10); got.Total != 0 {
		t.Errorf("%d objects are left, want none", got.Total)
	}
}

func TestPast(t *testing.T) {
	w := newWorld()
	w.sync(widget("a", "x", "True", "Fine", noon.Add(-time.Hour)), widget("a", "z", "False", "Broken", noon.Add(-time.Hour)))
	for i, status := range []string{"False", "True", "False", "True", "False"} {
		w.now = noon.Add(time.Duration(i+1) * time.Minute)
		w.sync(widget("a", "x", status, map[string]string{"True": "Fine", "False": "Broken"}[status], w.now),
			widget("a", "z", "False", "Broken", noon.Add(-time.Hour)))
	}
	w.now = noon.Add(10 * time.Minute)
	changes := w.fleet.Changes(Query{}, noon, w.now, 0, 3)
	if changes.Total != 5 || len(changes.Changes) != 3 || changes.Changes[0].Trend != "worse" || changes.Changes[1].Trend != "better" {
		t.Errorf("changes are %+v", changes)
	}
	for at, want := range map[time.Duration][]string{90 * time.Second: {"z", "x"}, 150 * time.Second: {"z"}, -time.Minute: {"z"}} {
		var got []string
		for _, o := range w.fleet.At(t.Context(), Query{}, noon.Add(at), 0, 10).Objects {
			got = append(got, o.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("unhealthy at noon %+v (-want +got):\n%s", at, diff)
		}
	}
	id := relation.ID{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, Namespace: "a", Name: "x"}
	h, ok := w.fleet.History(t.Context(), w.source, id, noon, w.now)
	if !ok || len(h.Lanes) != 2 || h.Lanes[1].Name != "Ready" || !h.Lanes[1].Flapping || h.Lanes[1].Flips != 5 || len(h.Lanes[1].Spans) != 6 {
		t.Fatalf("history is %+v", h)
	}
	for i, s := range h.Lanes[1].Spans[1:] {
		if want := noon.Add(time.Duration(i+1) * time.Minute); !s.From.Equal(want) || s.Source != "seen" {
			t.Errorf("span %d begins at %s (%s), want %s", i+1, s.From, s.Source, want)
		}
	}
	if row := w.fleet.Get(w.source, id); !row.Flapping {
		t.Error("the row is not marked as flapping")
	}
	w.now = noon.Add(20 * time.Minute) // calm since then
	if w.source.round(); w.fleet.Get(w.source, id).Flapping {
		t.Error("the row is marked as flapping after a quarter of an hour without a change")
	}
	w.now = noon.Add(10 * time.Minute)
	z := relation.ID{GroupKind: id.GroupKind, Namespace: "a", Name: "z"}
	if h, _ := w.fleet.History(t.Context(), w.source, z, noon.Add(-2*time.Hour), w.now); h.Lanes[1].Spans[0].Source != "condition" ||
		!h.Lanes[1].Spans[0].From.Equal(noon.Add(-time.Hour)) {
		t.Errorf("what was there before has the history %+v", h.Lanes)
	}
}

func TestTree(t *testing.T) {
	w := newWorld()
	list := []map[string]any{widget("a", "top", "False", "ChildrenNotReady", noon), owned(widget("a", "bad", "False", "KeyMissing", noon),
		"top")}
	for i := range 10 {
		list = append(list, owned(widget("a", fmt.Sprint("good", i), "True", "Fine", noon), "top"))
	}
	w.sync(list...)
	id := relation.ID{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, Namespace: "a", Name: "top"}
	tree, ok := w.fleet.Tree(t.Context(), w.source, id, TreeOptions{Limit: 100})
	if !ok || len(tree.Nodes) != 3 || tree.Nodes[0].Children != 11 || tree.Nodes[0].Unhealthy != 1 {
		t.Fatalf("tree is %+v", tree)
	}
	group := tree.Nodes[2].Group
	if group == nil || group.Count != 10 || !tree.Nodes[1].OnPath {
		t.Fatalf("nodes are %+v", tree.Nodes[1:])
	}
	if tree, _ = w.fleet.Tree(t.Context(), w.source, id, TreeOptions{Group: group.Open, Offset: 8, Limit: 5}); len(tree.Nodes) != 3 {
		t.Errorf("the last members of the group are %+v", tree.Nodes[1:])
	}
}

// An object that was judged in a round is looked at again when its time has come, also if nothing else happens.
func TestDue(t *testing.T) {
	w := newWorld()
	due := noon.Add(time.Minute)
	w.source.Options.Judge = func() Judge {
		return func(_ *relation.Object) relation.Judgement {
			return relation.Judgement{Verdict: "InProgress", Reason: "Waits", Due: due}.At(w.now)
		}
	}
	o := relation.FromContent(widget("a", "slow", "False", "Waits", noon))
	w.source.Graph.Put(o)
	w.source.roots.Put(o.ID)
	if again := w.source.round(); again == nil {
		t.Fatal("no time for the next round")
	}
	w.now = due.Add(2 * time.Second)
	w.source.round()
	if got := w.fleet.Window(Query{Overdue: true}, "name", 0, 10); got.Filtered != 1 {
		t.Errorf("%d objects are overdue, want 1", got.Filtered)
	}
}

// A source is live while the last change that came is shown, whatever the clock says, and behind while one waits.
func TestLag(t *testing.T) {
	w := newWorld()
	w.source.progress("live")
	state := func() string { return w.source.State().State }
	w.now = noon.Add(time.Hour)
	if state() != "live" || w.source.Lag() != 0 {
		t.Errorf("without a change the source is %s, %s behind", state(), w.source.Lag())
	}
	w.source.came(w.now)
	w.now = w.now.Add(10 * time.Second)
	w.source.came(w.now) // the older one counts
	if state() != "behind" || w.source.Lag() != 10*time.Second {
		t.Errorf("with a change that waits for 10 s the source is %s, %s behind", state(), w.source.Lag())
	}
	w.source.came(time.Time{})
	if state() != "live" || w.source.Lag() != 0 {
		t.Errorf("after the change is shown the source is %s, %s behind", state(), w.source.Lag())
	}
}

// TestOverview_order: causes come by severity, then by reach, and a cause says in how many namespaces its objects are.
func TestOverview_order(t *testing.T) {
	w := newWorld()
	var objects []map[string]any
	for i := range 5 {
		objects = append(objects, widget(fmt.Sprint("n", i), "slow", "Unknown", "Waiting", noon.Add(-time.Hour)))
	}
	w.sync(append(objects, widget("a", "broken", "False", "Failed", noon))...)
	o := w.fleet.Overview(Query{}, 10)
	if len(o.Causes) != 2 || o.Causes[0].Object.Object.Name != "broken" {
		t.Fatalf("the first cause is not the one that failed: %+v", o.Causes)
	}
	if c := o.Causes[1]; c.Namespaces != 5 || c.Like != 4 {
		t.Errorf("in %d namespaces, %d alike; want 5 and 4", c.Namespaces, c.Like)
	}
}
