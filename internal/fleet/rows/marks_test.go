// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// warningAbout is an event about a widget.
func warningAbout(namespace, name, reason string, first, last time.Time, count int64) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Event", "metadata": map[string]any{"namespace": namespace, "name": name + "." + reason,
		"creationTimestamp": first.Format(time.RFC3339)},
		"involvedObject": map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "namespace": namespace, "name": name},
		"type":           "Warning", "reason": reason, "message": "says " + reason,
		"firstTimestamp": first.Format(time.RFC3339), "lastTimestamp": last.Format(time.RFC3339), "count": count}
}

// Before a server ran nothing was watched: conditions, managed fields and events are what is known, and are marked as such.
func TestBeforeTheRun(t *testing.T) {
	w := newWorld()
	bare := func(name string, wrote time.Time) map[string]any { // without conditions: the last write of the status is its beginning
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": "a", "name": name, "uid": name,
			"managedFields": []any{
				map[string]any{"manager": "kubelet", "subresource": "status", "time": wrote.Format(time.RFC3339)},
				map[string]any{"manager": "someone", "time": wrote.Add(-time.Minute).Format(time.RFC3339),
					"fieldsV1": map[string]any{"f:spec": map[string]any{}}}}},
			"status": map[string]any{"phase": "Failed", "reason": "Evicted"}}
	}
	w.sync(widget("a", "broken", "False", "Broken", noon.Add(-2*time.Hour)), widget("a", "later", "False", "Broken", noon.Add(-time.Minute)),
		bare("evicted", noon.Add(-90*time.Minute)),
		warningAbout("a", "later", "Unsettled", noon.Add(-70*time.Minute), noon.Add(-50*time.Minute), 12),
		warningAbout("a", "later", "Recent", noon.Add(-2*time.Minute), noon, 3))
	at := w.fleet.At(t.Context(), Query{}, noon.Add(-time.Hour), 0, 10)
	sources := map[string]string{}
	for _, o := range at.Objects {
		sources[o.Name] = o.Source
	}
	if diff := cmp.Diff(map[string]string{"broken": "condition", "evicted": "managedFields"}, sources); diff != "" || at.Known {
		t.Errorf("an hour ago, known %v (-want +got):\n%s", at.Known, diff)
	}
	want := []api.MomentEvent{{Subject: api.Subject{ID: "/Widget.example.com/a/later", Kind: "Widget.example.com", Namespace: "a", Name: "later"},
		Reason: "Unsettled", Message: "says Unsettled", Count: 12,
		First: noon.Add(-70 * time.Minute), Last: noon.Add(-50 * time.Minute)}}
	if diff := cmp.Diff(want, at.Events); diff != "" {
		t.Errorf("warnings of an hour ago (-want +got):\n%s", diff)
	}
	noEvents := func(_ *Source, kind schema.GroupKind, _ string) bool { return kind != eventKind }
	part := w.fleet.As(Rights{Key: "no events", May: noEvents})
	if got := part.At(t.Context(), Query{}, noon.Add(-time.Hour), 0, 10); len(got.Events) != 0 || got.EventsError == "" {
		t.Errorf("who may list no events has %+v, %q", got.Events, got.EventsError)
	}
	if got := w.fleet.At(t.Context(), Query{}, noon, 0, 10); len(got.Events) != 0 {
		t.Errorf("of a time that was watched there are warnings: %+v", got.Events)
	}
	h, _ := w.fleet.History(t.Context(), w.source, relation.ID{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Widget"},
		Namespace: "a", Name: "later"}, noon.Add(-time.Hour), noon)
	long, short := noon.Add(-50*time.Minute), noon
	marks := []api.Mark{{At: noon.Add(-70 * time.Minute), Until: &long, Source: "event", Warning: true, Reason: "Unsettled",
		Message: "says Unsettled", Count: 12},
		{At: noon.Add(-2 * time.Minute), Until: &short, Source: "event", Warning: true, Reason: "Recent", Message: "says Recent", Count: 3}}
	if diff := cmp.Diff(marks, h.Marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	h, _ = w.fleet.History(t.Context(), w.source, relation.ID{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: "a", Name: "evicted"},
		noon.Add(-2*time.Hour), noon)
	marks = []api.Mark{{At: noon.Add(-91 * time.Minute), Source: "managedFields", Manager: "someone", Part: "spec"},
		{At: noon.Add(-90 * time.Minute), Source: "managedFields", Manager: "kubelet", Part: "status"}}
	if diff := cmp.Diff(marks, h.Marks, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("marks of writes (-want +got):\n%s", diff)
	}
}

// A tree is bounded: of too many children the healthy ones are left out and counted, and causes of those that are left are found all the
// same.
func TestLargeTree(t *testing.T) {
	w := newWorld()
	w.source.walk.Most = 50
	list := []map[string]any{widget("a", "top", "False", "ChildrenNotReady", noon)}
	for i := range 300 {
		status, reason := "True", "Fine"
		if i%3 == 0 {
			status, reason = "False", "KeyMissing"
		}
		list = append(list, owned(widget("a", fmt.Sprintf("w%03d", i), status, reason, noon), "top"))
	}
	w.sync(list...)
	id := relation.ID{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Widget"}, Namespace: "a", Name: "top"}
	tree, ok := w.fleet.Tree(t.Context(), w.source, id, TreeOptions{Limit: 100})
	if !ok || tree.Nodes[0].Children != 50 || tree.Nodes[0].Left != 250 {
		t.Fatalf("the root is %+v", tree.Nodes[0])
	}
	o := w.fleet.Overview(Query{}, 10)
	if len(o.Causes) != 1 || o.Causes[0].Like != 99 || o.Causes[0].Explains != 1 {
		t.Fatalf("causes are %+v, want one of 100 objects that explains the top", o.Causes)
	}
}
