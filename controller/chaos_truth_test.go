// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// truth recomputes the derived conditions of a fleet from what others wrote into it, by the documented rules and by nothing else of the
// project: neither the catalogs, nor package derive, nor package conditions have a part in it.
type truth struct {
	as      map[string]variant                    // of the catalogs of racks and rows
	objects map[string]*unstructured.Unstructured // by Kind/name
	cells   map[string]map[string]cell            // of the objects: what is derived
	known   map[string]map[string]map[string]any  // conditions that are stored, by object and type
}

// derivedTypes are those that the catalogs derive, in whatever form.
var derivedTypes = map[string][]string{"Widget": {"Ready"}, "Rack": {"Ready", "WidgetsReady", "Space"}, "Row": {"Ready", "RackReady"}}

// cell is a condition without its time, of which only matters that it is not in the future.
type cell struct {
	status, reason, message string
	generation              int64
	future                  bool
}

// vote is a condition that takes part in a summary or an aggregate.
type vote struct {
	kind, name, reason, message string // name of the object, in an aggregate
	weight                      int    // 0 unhealthy, 1 Unknown, 2 healthy
	mild                        bool   // unhealthy, of severity Warning
}

func newTruth(as map[string]variant, objects map[string]*unstructured.Unstructured) *truth {
	t := &truth{as, objects, map[string]map[string]cell{}, map[string]map[string]map[string]any{}}
	for key, o := range objects {
		t.known[key], t.cells[key] = entries(o), map[string]cell{}
	}
	for _, level := range []struct {
		kind  string
		judge func(key string, o *unstructured.Unstructured)
	}{{"Widget", t.widget}, {"Rack", t.rack}, {"Row", t.row}} {
		for key, o := range objects {
			switch {
			case o.GetKind() != level.kind:
			case t.as[level.kind] == gone: // then it says what it says
				for name, c := range t.known[key] {
					if slices.Contains(derivedTypes[level.kind], name) {
						t.cells[key][name] = stored(c)
					}
				}
			default:
				level.judge(key, o)
			}
		}
	}
	return t
}

// widget: Ready sums up Powered, which has to be there, Cooled, which may be missing, and Burning, which is bad while True.
func (t *truth) widget(key string, o *unstructured.Unstructured) {
	if paused(o) {
		for name, c := range t.known[key] { // an object that is paused is left as it is
			if name == "Ready" {
				t.cells[key]["Ready"] = stored(c)
			}
		}
		return
	}
	var votes []vote
	for _, leaf := range []struct {
		name, good string
		needed     bool
	}{{"Powered", "True", true}, {"Cooled", "True", false}, {"Burning", "False", false}} {
		c, there := t.known[key][leaf.name]
		if !there && !leaf.needed {
			continue
		}
		votes = append(votes, voteOf(leaf.name, leaf.good, c, o.GetGeneration()))
	}
	t.put(key, o, "Ready", summary(votes))
}

// rack: WidgetsReady merges Ready of the widgets that name the rack, Space counts them, and Ready sums up both.
func (t *truth) rack(key string, o *unstructured.Unstructured) {
	as := t.as["Rack"]
	var votes []vote
	healthy := 0
	for _, other := range t.objects {
		if rack, _, _ := unstructured.NestedString(other.Object, "spec", "rack"); other.GetKind() != "Widget" || rack != o.GetName() {
			continue
		}
		v := t.derivedVote("Ready", "Widget/"+other.GetName(), other.GetGeneration())
		v.name = other.GetName()
		if votes = append(votes, v); v.weight == 2 {
			healthy++
		}
	}
	widgets := cell{"False", "Empty", "", 0, false}
	count := fmt.Sprintf("%d of %d completed", healthy, len(votes))
	if len(votes) > 0 {
		weight := worst(votes)
		widgets = cell{statuses[weight], reasonOf(votes, weight), "", 0, false}
		switch all := healthy == len(votes); {
		case all:
		case as == asDeclared || as == withoutRoom:
			widgets.message = count + ": " + grouped(votes)
		default:
			widgets.message = grouped(votes)
		}
	}
	t.put(key, o, "WidgetsReady", widgets)
	parts := []vote{t.derivedVote("WidgetsReady", key, 0)}
	if as != withoutRoom {
		slots, _, _ := unstructured.NestedInt64(o.Object, "spec", "slots")
		space := cell{"True", "Room", "", 0, false}
		switch n := int64(len(votes)); {
		case n > slots:
			space = cell{"False", "Overfull", fmt.Sprintf("%d widgets in %d slots", n, slots), 0, false}
		case n == slots:
			space.reason = "Full"
		}
		t.put(key, o, "Space", space)
		parts = append(parts, t.derivedVote("Space", key, 0))
	}
	t.put(key, o, "Ready", summary(parts))
}

// row: RackReady copies a condition of the rack that the row names.
func (t *truth) row(key string, o *unstructured.Unstructured) {
	of := "Ready"
	if t.as["Row"] == ofWidgets {
		of = "WidgetsReady"
	}
	name, _, _ := unstructured.NestedString(o.Object, "spec", "rack")
	generation := int64(0)
	if rack := t.objects["Rack/"+name]; rack != nil {
		generation = rack.GetGeneration()
	}
	v := t.derivedVote(of, "Rack/"+name, generation)
	t.put(key, o, "RackReady", cell{statuses[v.weight], v.reason, v.message, 0, false})
	t.put(key, o, "Ready", summary([]vote{t.derivedVote("RackReady", key, 0)}))
}

func (t *truth) put(key string, o *unstructured.Unstructured, conditionType string, c cell) {
	c.generation = o.GetGeneration()
	t.cells[key][conditionType] = c
}

// derivedVote is how a condition that is derived itself counts: missing and old ones are Unknown.
func (t *truth) derivedVote(conditionType, key string, generation int64) vote {
	c, there := t.cells[key][conditionType]
	if !there {
		return vote{kind: conditionType, reason: "NotReported", message: "not reported", weight: 1}
	}
	return voteOf(conditionType, "True", map[string]any{"status": c.status, "reason": c.reason, "message": c.message,
		"observedGeneration": c.generation}, generation)
}

var statuses = [...]string{"False", "Unknown", "True"}

// voteOf is how a stored condition counts.
func voteOf(conditionType, good string, c map[string]any, generation int64) vote {
	if c == nil {
		return vote{kind: conditionType, reason: "NotReported", message: "not reported", weight: 1}
	}
	observed, _ := c["observedGeneration"].(int64)
	if observed > 0 && observed < generation {
		return vote{kind: conditionType, reason: "Stale", message: "observed at an older generation", weight: 1}
	}
	v := vote{kind: conditionType, reason: text(c["reason"]), message: text(c["message"]), weight: 1}
	switch status := text(c["status"]); {
	case status == good:
		v.weight = 2
	case status != "Unknown":
		v.weight = 0
		v.mild = conditionType == "Cooled" && v.reason == "Hot"
	}
	return v
}

// summary is the worst of the votes, with the reason on which those agree that decide, and names every one that is not healthy, worst
// first.
func summary(votes []vote) cell {
	votes = slices.Clone(votes)
	slices.SortStableFunc(votes, compareVotes)
	var lines []string
	for _, v := range votes {
		if v.weight < 2 {
			lines = append(lines, v.line())
		}
	}
	weight := worst(votes)
	return cell{statuses[weight], reasonOf(votes, weight), strings.Join(lines, "; "), 0, false}
}

func worst(votes []vote) int {
	return slices.MinFunc(votes, func(a, b vote) int { return cmp.Compare(a.weight, b.weight) }).weight
}

func reasonOf(votes []vote, weight int) string {
	if weight == 2 {
		return "Healthy"
	}
	reasons := map[string]bool{}
	for _, v := range votes {
		if v.weight == weight {
			reasons[v.reason] = true
		}
	}
	if len(reasons) == 1 {
		for reason := range reasons {
			return reason
		}
	}
	return []string{"DependentsUnhealthy", "DependentsUnknown"}[weight]
}

// grouped names the objects that share a text, at most three of them, and at most ten texts.
func grouped(votes []vote) string {
	by := map[string][]vote{}
	for _, v := range votes {
		if v.weight < 2 {
			by[v.line()] = append(by[v.line()], v)
		}
	}
	var lines []string
	for line := range by {
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b string) int {
		x, y := by[a][0], by[b][0]
		return cmp.Or(compareVotes(x, y), cmp.Compare(x.reason, y.reason), cmp.Compare(x.message, y.message))
	})
	var out []string
	rest := 0
	for i, line := range lines {
		if i >= 10 {
			rest += len(by[line])
			continue
		}
		var names []string
		for _, v := range by[line] {
			names = append(names, v.name)
		}
		slices.Sort(names)
		list := strings.Join(names[:min(3, len(names))], ", ")
		if more := len(names) - 3; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		out = append(out, line+" ["+list+"]")
	}
	if rest > 0 {
		out = append(out, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(out, "; ")
}

// compareVotes orders the worse one first: a Warning is less than what nobody called one.
func compareVotes(a, b vote) int {
	rank := func(v vote) int {
		if v.mild {
			return 1
		}
		return 2 * v.weight
	}
	return cmp.Compare(rank(a), rank(b))
}

func (v vote) line() string {
	out := v.kind + "(" + v.reason + ")"
	if v.message != "" {
		out += ": " + v.message
	}
	return out
}

func stored(c map[string]any) cell {
	generation, _ := c["observedGeneration"].(int64)
	at, err := time.Parse(time.RFC3339, text(c["lastTransitionTime"]))
	return cell{text(c["status"]), text(c["reason"]), text(c["message"]), generation,
		err != nil || at.After(time.Now().Add(2*time.Minute))} // clocks of one machine
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func paused(o *unstructured.Unstructured) bool {
	on, _, _ := unstructured.NestedBool(o.Object, "spec", "paused")
	return on
}
