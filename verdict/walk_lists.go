// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"strings"

	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// list hands the items of a list to their rules: their conditions (parents, ancestors, listeners), and the states of items that have one. A
// parent that the spec does not name any more is left over, and so is one of an older generation if another parent has reported on the
// current one.
func (ev *evidence) list(key string, list Object) {
	if historyKey(key) {
		return
	}
	if list.size() == 0 {
		switch key {
		case "parents", "ancestors":
			ev.emptyConditions = true
		}
		return
	}
	read := ev.reads(key)
	if !read && ev.unhealthyList(key, "", list) {
		return
	}
	fresh := false
	it := list.items()
	for n := (Object{}); key == "parents" && it.more(&n); {
		fresh = fresh || !ev.outdated(n.get("conditions"))
	}
	it = list.items()
	for n := (Object{}); it.more(&n); {
		if n.kind() != kindMap {
			continue
		}
		conds := n.get("conditions")
		if conds.kind() == kindList {
			if !ev.leftOver(n.get("parentRef")) && !(fresh && ev.outdated(conds)) {
				if conds.size() == 0 {
					ev.emptyConditions = true
				}
				ev.conditions(conds, key)
			}
			continue
		}
		var c Condition
		if n.get("status").kind() == kindString && readCondition(n, &c) && string(c.Status) == n.getStr("status") {
			ev.condition(n, c.Type, key)
			continue
		}
		if !embedded(n) {
			n.fields(func(k string, v Object) bool {
				ev.deepConditions(key, k, v, searchDepth)
				return true
			})
		}
		if read {
			continue
		}
		if want, ok := n.get("replicas").Number(); ok {
			if have, ok := n.get("readyReplicas").Number(); ok && have < want {
				ev.claimCount(have, want, message{format: counted, s1: "readyReplicas"}, key, "readyReplicas", n.get("readyReplicas"))
			}
		}
		ev.listItem(key, n)
	}
}

// listItem hands an item of a list that is no condition and has none to its rules: its errors, states, results and flags.
func (ev *evidence) listItem(key string, n Object) {
	n.fields(func(k string, v Object) bool {
		switch v.kind() {
		case kindString:
			switch {
			case k == "level" && strings.EqualFold(v.Text(), "error") && messageLists.End(key):
				ev.claimField(errorField, "Error", message{format: listed, s1: key, s2: cmp.Or(n.getStr("message"), n.get2("type", "name").Text(),
					v.Text())}, fact{atStatus, key, k, v})
			case k == "error", k == "errors":
				ev.errorField(key, k, v)
			case stateKey(k) > 0:
				ev.itemState(key, k, v)
			case !formerKey(k) && resultKey(k) && ev.words.MeaningOfHead(v.Text()) >= lexicon.UnderWay:
				ev.itemState(key, k, v)
			default:
				if _, ok := truth(v); ok {
					ev.itemFlag(key, k, v, n)
				}
			}
		case kindBool:
			ev.itemFlag(key, k, v, n)
		case kindMap, kindList:
			if k == "error" || k == "errors" {
				ev.errorField(key, k, v)
			}
		}
		return true
	})
}

// untypedItem hands an item of a list of conditions that has no type to its rules, if it has a state of its own. If the status has a state,
// the list is its history.
func (ev *evidence) untypedItem(n Object, within string) {
	ev.hasUntyped = ev.hasUntyped || within == "" && n.size() == 0
	if s := n.get("state"); s.kind() == kindString && within == "" && !ev.hasStateField() && ev.words.MeaningOf(s.Text()) == lexicon.Broken {
		ev.itemState("conditions", "state", s)
	}
}

// itemFlag hands a flag of a list item to its rules. Only one that is false counts, and no result of one run of many.
func (ev *evidence) itemFlag(a, key string, n, item Object) {
	if yes, _ := truth(n); !yes && flagKeys[key] != flagResult {
		ev.componentFlag(a, key, key, n, item)
	}
}

// itemState hands the state of a list item to its rules. Only unhealthy states count: the other items may be in any state.
func (ev *evidence) itemState(key, field string, n Object) {
	switch ev.words.MeaningOfState(n.Text(), ev.isTask()) {
	case lexicon.Broken, lexicon.UnderWay, lexicon.NotSo:
		ev.state(atStatus, key, field, n)
	}
}

// outdated reports whether all conditions of a list were observed at an older generation.
func (ev *evidence) outdated(conds Object) bool {
	if ev.generation < 0 || conds.size() == 0 {
		return false
	}
	it := conds.items()
	for n := (Object{}); it.more(&n); {
		if seen, ok := n.get("observedGeneration").Number(); !ok || seen >= ev.generation {
			return false
		}
	}
	return true
}

// leftOver reports whether a parent reference is none of those of the spec.
func (ev *evidence) leftOver(ref Object) bool {
	refs := ev.spec.get("parentRefs")
	if ref.get("name").Text() == "" || refs.size() == 0 {
		return false
	}
	it := refs.items()
	for r := (Object{}); it.more(&r); {
		port, hasPort := r.get("port").Number()
		refPort, refHasPort := ref.get("port").Number()
		if r.get("name").Text() == ref.get("name").Text() && r.get("sectionName").Text() == ref.get("sectionName").Text() &&
			hasPort == refHasPort && port == refPort {
			return false
		}
	}
	return true
}

// namedStates hands a map of states by name, as {etcd: Down, api: Up}, to their rules. All its members are single words. Only unhealthy
// states count.
func (ev *evidence) namedStates(key string, n Object) {
	all := true
	n.fields(func(k string, v Object) bool {
		all = all && v.kind() == kindString && isWord(v.Text()) && stateKey(k) == 0
		return all
	})
	if !all {
		return
	}
	n.fields(func(k string, v Object) bool {
		ev.itemState(key, k, v)
		return true
	})
}

func isWord(s string) bool {
	for i := range len(s) {
		if !lexicon.IsLetter(s[i]) {
			return false
		}
	}
	return s != ""
}
