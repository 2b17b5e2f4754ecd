// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Lists returns the conditions lists of an object of this kind as they are stored, in the order of the object: the one that its path
// leads to, or with "[*]" in the path one for each element, named by its key. Values of another form are left out.
func (k *Kind) Lists(object map[string]any) []ListLocation {
	return k.At.lists(object)
}

// usualPath leads to the conditions of a kind without a catalog.
var usualPath = []string{"status", "conditions"}

// List returns the conditions of an object of this kind as entries of one list; nil without any. A nil Kind has them in
// status.conditions. With one list it is that list, as it is stored. With many lists the worst entry of each type
// counts: unhealthy, by declared severity, before Unknown and before healthy. An entry that was observed at an older
// generation is Unknown. A type that must always be present but is missing from one of the lists gets an entry that
// says so, and is Unknown. Entries of many lists have the declared order, then the order of names, whatever the order
// of the lists.
func (k *Kind) List(object map[string]any) []any {
	path := usualPath
	if k != nil {
		if path = k.Path; k.At.Many() {
			return k.worst(object)
		}
	}
	found, _, _ := unstructured.NestedFieldNoCopy(object, path...)
	list, _ := found.([]any)
	return list
}

// entry is a condition of one of several lists.
type entry struct {
	raw  any
	c    conditions.Condition
	key  string
	rank int // the smaller, the worse
}

func (k *Kind) worst(object map[string]any) []any {
	generation := generationOf(object)
	worst := map[string]entry{} // by type
	take := func(name string, e entry) {
		if old, there := worst[name]; !there || e.compare(&old) < 0 {
			worst[name] = e
		}
	}
	for _, place := range k.Lists(object) {
		here := map[string]bool{}
		for _, raw := range place.List {
			read, _ := wire.FromUnstructured([]any{raw})
			if len(read) == 0 {
				continue
			}
			name := k.Canonical(read[0].Type)
			here[name] = true
			take(name, entry{raw, read[0], place.Key, k.rank(name, &read[0], generation)})
		}
		for i := range k.Declaration.Types {
			t := &k.Declaration.Types[i]
			if here[t.Name] || t.Presence != conditions.PresenceAlways || t.Optional {
				continue
			}
			var c conditions.Condition
			c.Type, c.Status, c.Reason = t.Name, conditions.Unknown, rollup.ReasonNotReported
			c.Message = "not reported for " + cmp.Or(place.Key, place.Path)
			take(t.Name, entry{wire.ToUnstructured(c, k.Dialect), c, place.Key, k.rank(t.Name, &c, generation)})
		}
	}
	var out []any
	for i := range k.Declaration.Types {
		if e, there := worst[k.Declaration.Types[i].Name]; there {
			out = append(out, e.raw)
			delete(worst, k.Declaration.Types[i].Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(worst)) {
		out = append(out, worst[name].raw)
	}
	return out
}

// rank returns how bad a condition is: 0 to 2 if it is unhealthy, by severity, 3 if it is Unknown, 4 if it is healthy.
// If the type is not declared, True counts as healthy.
func (k *Kind) rank(name string, c *conditions.Condition, generation int64) int {
	polarity := conditions.Positive
	if t := k.Type(name); t != nil {
		polarity = t.Polarity
	}
	switch {
	case c.Status == conditions.Unknown, c.ObservedGeneration > 0 && c.ObservedGeneration < generation:
		return 3
	case !polarity.Bad(c.Status):
		return 4
	}
	severity := c.Severity
	if r := k.Reason(name, c.Reason, c.Status); r != nil {
		severity = cmp.Or(severity, r.Severity)
	}
	return severity.Rank()
}

// compare orders entries of one type, the worst first and otherwise by content.
func (e *entry) compare(o *entry) int {
	return cmp.Or(cmp.Compare(e.rank, o.rank), strings.Compare(e.c.Reason, o.c.Reason), strings.Compare(e.c.Message, o.c.Message),
		strings.Compare(e.key, o.key),
		cmp.Compare(e.c.ObservedGeneration, o.c.ObservedGeneration), o.c.LastTransitionTime.Compare(e.c.LastTransitionTime.Time))
}

func generationOf(object map[string]any) int64 {
	metadata, _ := object["metadata"].(map[string]any)
	switch n := metadata["generation"].(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}
