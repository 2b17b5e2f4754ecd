// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// fields hands the members of the status to their rules: states, errors, flags, generations, and the components in its maps and lists.
func (ev *evidence) fields() {
	ev.status.fields(func(key string, n Object) bool {
		if key == "conditions" || key == "observedGeneration" {
			return true
		}
		switch n.kind() {
		case kindString:
			ev.stringField(key, n)
		case kindInt, kindFloat:
			if r := generationRule(key); r != nil {
				ev.behind(key, n, r)
				return true
			}
			ev.hasCounts = ev.hasCounts || familyKeys[key]
			ev.countPair(key, "", key, n, ev.status)
		case kindBool:
			ev.flag(key, n)
		case kindMap:
			if errorKey(key) {
				ev.errorField(key, "", n)
			} else {
				ev.nestedMap(key, n)
			}
		case kindList:
			if errorKey(key) {
				ev.errorField(key, "", n)
			} else {
				ev.list(key, n)
			}
		}
		return true
	})
}

// stringField hands a string of the status to its rules.
func (ev *evidence) stringField(key string, n Object) {
	switch {
	case key == "status" && isTruth(n):
		if typ := ev.status.get("type").Text(); typ != "" {
			ev.condition(ev.status, typ, itself)
		}
	case stateKey(key) > 0:
		ev.state(atStatus, key, "", n)
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
	default:
		if _, ok := truth(n); ok {
			ev.flag(key, n)
		}
	}
}

// itself is the list of conditions if the status is itself a condition.
const itself = "."

// nestedMap hands a map of the status, and the maps in it, to their rules: components by name, or sections.
func (ev *evidence) nestedMap(key string, n Object) {
	switch {
	case key == "kopf":
		ev.kopfHandlers(n.get("progress"))
		return
	case formerKey(key):
		for _, k := range [...]string{"state", "status", "phase", "result"} {
			if s := n.get(k); s.kind() == kindString {
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
func (ev *evidence) component(a, b string, n Object) {
	read := ev.reads(a) && a != "initialization"
	n.fields(func(k string, v Object) bool {
		at := k
		if b != "" {
			at = b // the path names the component
		}
		switch kind := v.kind(); kind {
		case kindString, kindBool, kindInt, kindFloat:
			if read {
				return true
			}
		}
		switch kind := v.kind(); kind {
		case kindString:
			ev.componentString(a, b, at, k, v, n)
		case kindBool:
			ev.componentFlag(a, at, k, v, n)
		case kindInt, kindFloat:
			ev.countPair(a, at, k, v, n)
		case kindMap, kindList:
			switch {
			case k == "conditions":
				conds := ev.hasConditions
				ev.conditions(v, a)
				ev.hasConditions = conds || b == "" && ev.hasConditions // conditions of a component are no reason to wait for a summary
			case errorKey(k):
				if !read {
					ev.errorField(a, at, v)
				}
			case b != "" || kind == kindList:
				if b == "" && !read && !ev.unhealthyList(a, k, v) && kind == kindList && !historyKey(k) {
					ev.nestedItems(a, v)
				}
				if !embedded(n) {
					ev.deepConditions(a, k, v, searchDepth)
				}
			case !historyKey(k):
				ev.component(a, k, v)
			}
		}
		return true
	})
}

// componentString hands a string of a component to its rules.
func (ev *evidence) componentString(a, b, at, key string, n, part Object) {
	if key == "status" && isTruth(n) {
		if typ := part.get("type").Text(); typ != "" {
			conds := ev.hasConditions
			ev.condition(part, typ, a)
			ev.hasConditions = conds
		}
		return
	}
	switch s := stateKey(key); {
	case s == 2, s == 1 && b == "":
		ev.state(atStatus, a, at, n)
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
func (ev *evidence) nestedItems(a string, list Object) {
	it := list.items()
	for n := (Object{}); it.more(&n); {
		var cl claim
		failed := explained(ev.words, &cl, n)
		n.fields(func(k string, v Object) bool {
			failed = failed || v.kind() == kindString && stateKey(k) > 0 && ev.words.MeaningOfState(v.Text(), ev.isTask()) == lexicon.Broken
			return !failed
		})
		if failed && n.get("conditions").kind() == kindNone {
			ev.listItem(a, n)
		}
	}
}

// deepConditions hands the conditions somewhere below a member of the status to their rules, as those of the data centers of a cluster of
// clusters. key is the last name on the way.
func (ev *evidence) deepConditions(top, key string, n Object, depth int) {
	switch kind := n.kind(); {
	case depth == 0 || historyKey(key) || formerKey(key):
	case kind == kindList && key == "conditions":
		conds := ev.hasConditions
		ev.conditions(n, top)
		ev.hasConditions = conds // they are no reason to wait for a summary
	case kind == kindList:
		it := n.items()
		for item := (Object{}); it.more(&item); {
			if item.kind() != kindMap {
				return
			}
			ev.deepConditions(top, key, item, depth-1)
		}
	case kind == kindMap && !embedded(n):
		n.fields(func(k string, v Object) bool {
			ev.deepConditions(top, k, v, depth-1)
			return true
		})
	}
}

// embedded reports whether a map is an object of its own, as the manifest that a status repeats.
func embedded(n Object) bool {
	return n.get("kind").kind() == kindString && (n.get("status").kind() == kindMap || n.get("metadata").kind() == kindMap)
}
