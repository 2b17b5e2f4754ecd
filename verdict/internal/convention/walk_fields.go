// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// fields hands the members of the status to their rules: states, errors, flags, generations, and the components in its maps and lists.
func (ev *evidence) fields() {
	for key, n := range ev.Status.Fields() {
		if key == "conditions" || key == "observedGeneration" {
			continue
		}
		kind := n.Kind()
		ev.hasCounts = ev.hasCounts || kind == object.Int && familyKeys[key]
		if kind != object.Map && kind != object.List && ev.reads(key) {
			continue
		}
		switch kind {
		case object.String:
			ev.stringField(key, n)
		case object.Int, object.Float:
			if r := generationRule(key); r != nil {
				ev.behind(key, n, r)
				continue
			}
			ev.countPair(key, "", key, n, ev.Status)
		case object.Bool:
			ev.flag(key, n)
		case object.Map, object.List:
			switch {
			case errorKey(key):
				if !ev.reads(key) {
					ev.errorField(key, "", n)
				}
			case kind == object.Map:
				ev.nestedMap(key, n)
			default:
				ev.list(key, n)
			}
		}
	}
}

// stringField hands a string of the status to its rules.
func (ev *evidence) stringField(key string, n object.Value) {
	switch {
	case key == "status" && isTruth(n):
		if typ := ev.Status.Get("type").Text(); typ != "" {
			ev.condition(ev.Status, typ, itself)
		}
	case stateKey(key) > 0:
		ev.state(object.PathStatus, key, "", n)
	case errorKey(key):
		ev.errorField(key, "", n)
	case formerKey(key):
		if endsAsState(key) || resultKey(key) {
			ev.lastRun(key, "", n)
		}
	case resultKey(key):
		ev.result(key, "", n)
	case countEnds.End(key):
		ev.countText(key, "", n)
	case key == "version":
		ev.version(n)
	default:
		if _, ok := truth(n); ok {
			ev.flag(key, n)
		}
	}
}

// itself is the list of conditions if the status is itself a condition.
const itself = "."

// nestedMap hands a map of the status, and the maps in it, to their rules: components by name, or sections.
func (ev *evidence) nestedMap(key string, n object.Value) {
	switch {
	case key == "kopf":
		ev.kopfHandlers(n.Get("progress"))
		return
	case formerKey(key):
		for _, k := range [...]string{"state", "status", "phase", "result"} {
			if s := n.Get(k); s.Kind() == object.String {
				ev.lastRun(key, k, s)
			}
		}
		return
	case historyKey(key):
		return
	}
	ev.component(key, "", n)
	if (stateKey(key) > 0 || stateMaps.End(key)) && !ev.reads(key) {
		ev.namedStates(key, n)
	}
}

// component hands the members of a map of the status, .a or .a.b, to their rules: components by name are two maps deep. States and errors
// count like those of the object; flags and numbers only if no summary is True.
func (ev *evidence) component(a, b string, n object.Value) {
	whole := ev.reads(a) && a != "initialization"
	for k, v := range n.Fields() {
		at := k
		if b != "" {
			at = b // the path names the component
		}
		read := whole || b == "" && ev.readsMember(a, k) || b != "" && ev.readsMember(a, b)
		switch kind := v.Kind(); kind {
		case object.String, object.Bool, object.Int, object.Float:
			if read {
				continue
			}
		}
		switch kind := v.Kind(); kind {
		case object.String:
			ev.componentString(a, b, at, k, v, n)
		case object.Bool:
			ev.componentFlag(a, at, k, v, n)
		case object.Int, object.Float:
			ev.countPair(a, at, k, v, n)
		case object.Map, object.List:
			switch {
			case k == "conditions":
				conds := ev.hasConditions
				ev.conditions(v, a)
				ev.hasConditions = conds || b == "" && ev.hasConditions // conditions of a component are no reason to wait for a summary
			case errorKey(k):
				if !read {
					ev.errorField(a, at, v)
				}
			case b != "" || kind == object.List:
				if b == "" && !read && !ev.unhealthyList(a, k, v) && kind == object.List && !historyKey(k) {
					ev.nestedItems(a, v)
				}
				if !embedded(n) {
					ev.deepConditions(a, k, v, searchDepth)
				}
			case !historyKey(k):
				ev.component(a, k, v)
			}
		}
	}
}

// componentString hands a string of a component to its rules.
func (ev *evidence) componentString(a, b, at, key string, n, part object.Value) {
	if key == "status" && isTruth(n) {
		if typ := part.Get("type").Text(); typ != "" {
			conds := ev.hasConditions
			ev.condition(part, typ, a)
			ev.hasConditions = conds
		}
		return
	}
	switch s := stateKey(key); {
	case s == 2, s == 1 && b == "":
		ev.state(object.PathStatus, a, at, n)
	case errorKey(key):
		ev.errorField(a, at, n)
	case s == 1:
	case resultKey(key):
		ev.result(a, at, n)
	case b == "" && countEnds.End(key):
		ev.countText(a, key, n)
	default:
		if _, ok := truth(n); ok {
			ev.componentFlag(a, at, key, n, part)
		}
	}
}

// nestedItems hands the items of a list of a component that report a failure, as the members of a role, to their rules.
func (ev *evidence) nestedItems(a string, list object.Value) {
	for n := range list.Items() {
		var cl claim
		failed := explained(ev.Words, &cl, n)
		for k, v := range n.Fields() {
			failed = failed || v.Kind() == object.String && stateKey(k) > 0 && ev.Words.MeaningOfState(v.Text(), ev.isTask()) == lexicon.Broken
		}
		if failed && n.Get("conditions").Kind() == object.None {
			ev.listItem(a, n)
		}
	}
}

// deepConditions hands the conditions somewhere below a member of the status to their rules, as those of the data centers of a cluster of
// clusters. key is the last name on the way.
func (ev *evidence) deepConditions(top, key string, n object.Value, depth int) {
	switch kind := n.Kind(); {
	case depth == 0 || historyKey(key) || formerKey(key):
	case kind == object.List && key == "conditions":
		conds := ev.hasConditions
		ev.conditions(n, top)
		ev.hasConditions = conds // they are no reason to wait for a summary
	case kind == object.List:
		for item := range n.Items() {
			if item.Kind() != object.Map {
				return
			}
			ev.deepConditions(top, key, item, depth-1)
		}
	case kind == object.Map && !embedded(n):
		for k, v := range n.Fields() {
			ev.deepConditions(top, k, v, depth-1)
		}
	}
}

// embedded reports whether a map is an object of its own, as the manifest that a status repeats.
func embedded(n object.Value) bool {
	return n.Get("kind").Kind() == object.String && (n.Get("status").Kind() == object.Map || n.Get("metadata").Kind() == object.Map)
}
