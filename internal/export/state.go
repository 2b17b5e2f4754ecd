// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
)

// A State is an object in a state that a catalog can reach.
type State struct {
	// Name is unique among the states of a kind: TYPE=STATUS/REASON, PATH=WORD, or one of no-status, stale and deleting.
	Name   string
	Object map[string]any
}

// States lists the states that a catalog can reach, in the order of the declaration:
//
//   - each declared cell, with every other declared condition in its first healthy cell,
//   - each word of a states table,
//   - an object without a status, one whose status is about an older generation, and one that is being deleted.
//
// The summary has the class of the worst other condition if the catalog declares such a cell.
func States(s *Subject, k *catalog.Kind) []State {
	var out []State
	add := func(name string, object map[string]any) { out = append(out, State{name, object}) }
	add("no-status", object(s, k, nil, nil))
	healthy := map[string]cell{}
	for i := range k.Declaration.Types {
		if t := &k.Declaration.Types[i]; t.Role != conditions.RoleInformational || len(t.Reasons) > 0 {
			if c, ok := healthyCell(t); ok {
				healthy[t.Name] = c
			}
		}
	}
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		for n := range t.Reasons {
			r := &t.Reasons[n]
			cells := maps.Clone(healthy)
			cells[t.Name] = cell{r.Status, r.Name}
			if t.Role == conditions.RoleDependent {
				follow(k, cells, r)
			}
			add(t.Name+"="+string(r.Status)+"/"+r.Name, object(s, k, cells, nil))
		}
	}
	for i := range k.Source.Spec.States {
		table := &k.Source.Spec.States[i]
		for _, word := range slices.Sorted(maps.Keys(table.Words)) {
			if table.Condition == "" {
				add(table.Path+"="+word, object(s, k, nil, map[string]string{table.Path: word}))
				continue
			}
			status, reason, _ := strings.Cut(word, "/")
			add(table.Condition+"="+word, object(s, k, map[string]cell{table.Condition: {conditions.Status(status), reason}}, nil))
		}
	}
	stale := object(s, k, healthy, nil)
	nested.Set(stale, int64(1), "status", "observedGeneration")
	add("stale", stale)
	deleting := object(s, k, healthy, nil)
	nested.Set(deleting, "2026-01-01T00:00:00Z", "metadata", "deletionTimestamp")
	add("deleting", deleting)
	return out
}

// cell is a status with a reason.
type cell struct {
	status conditions.Status
	reason string
}

// healthyCell returns the first declared cell of class ok, or else the good status without a reason; false for a condition that is absent
// while it is good.
func healthyCell(t *conditions.Type) (cell, bool) {
	for i := range t.Reasons {
		if r := &t.Reasons[i]; r.Class == conditions.ClassOK && r.Status != conditions.Unknown {
			return cell{r.Status, r.Name}, true
		}
	}
	for _, s := range []conditions.Status{conditions.True, conditions.False} {
		if t.Presence != conditions.PresenceWhenTrue && t.Polarity.Good(s) {
			return cell{s, ""}, true
		}
	}
	return cell{}, false
}

// follow puts the summary into a cell of the class of a dependent condition: one with its reason, or else the first of the class. Without
// either the summary stays healthy.
func follow(k *catalog.Kind, cells map[string]cell, r *conditions.Reason) {
	t := k.Type(k.Summary())
	if t == nil || r.Class == conditions.ClassOK {
		return
	}
	var found *conditions.Reason
	for i := range t.Reasons {
		if one := &t.Reasons[i]; one.Class == r.Class && (found == nil || one.Name == r.Name && found.Name != r.Name) {
			found = one
		}
	}
	if found != nil {
		cells[t.Name] = cell{found.Status, found.Name}
	}
}

// object returns an object of generation 2 whose status is about it.
func object(s *Subject, k *catalog.Kind, cells map[string]cell, fields map[string]string) map[string]any {
	out := map[string]any{
		"apiVersion": s.First(k), "kind": s.For.Kind,
		"metadata": map[string]any{"name": "example", "namespace": "default", "generation": int64(2),
			"creationTimestamp": "2025-12-31T00:00:00Z"},
		"spec": map[string]any{},
	}
	for path, word := range fields {
		nested.Set(out, word, strings.Split(path, ".")...)
	}
	if len(cells) == 0 {
		return out
	}
	var list []any
	for _, name := range slices.SortedFunc(maps.Keys(cells), func(a, b string) int {
		return cmp.Or(cmp.Compare(position(k, a), position(k, b)), cmp.Compare(a, b))
	}) {
		c := cells[name]
		one := map[string]any{"type": name, "status": string(c.status), "lastTransitionTime": "2025-12-31T12:00:00Z"}
		if c.reason != "" {
			one["reason"] = c.reason
			one["message"] = "condition " + name + " has reason " + c.reason
		}
		list = append(list, one)
	}
	Put(out, k, list)
	return out
}

// Put puts a list of conditions where the catalog has it: into one element of each list on the way.
func Put(object map[string]any, k *catalog.Kind, list []any) {
	place := object
	steps := strings.Split(k.At.String(), ".")
	for i, step := range steps {
		name, each := strings.CutSuffix(step, "[*]")
		switch {
		case i == len(steps)-1:
			place[name] = list
		case each:
			element := map[string]any{"name": "first"}
			place[name] = []any{element}
			place = element
		default:
			next, ok := place[name].(map[string]any)
			if !ok {
				next = map[string]any{}
				place[name] = next
			}
			place = next
		}
	}
}

func position(k *catalog.Kind, name string) int {
	return slices.IndexFunc(k.Declaration.Types, func(t conditions.Type) bool { return t.Name == name })
}
