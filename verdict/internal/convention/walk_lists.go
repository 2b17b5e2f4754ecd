// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"cmp"
	"strings"

	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// list hands the items of a list to their rules: their conditions (parents, ancestors, listeners), and the states of items that have one. A
// parent that the spec does not name any more is left over, and so is one of an older generation if another parent has reported on the
// current one.
func (ev *evidence) list(key string, list object.Value) {
	if historyKey(key) {
		return
	}
	if list.Size() == 0 {
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
	for n := range list.Items() {
		fresh = fresh || key == "parents" && !ev.outdated(n.Get("conditions"))
	}
	for n := range list.Items() {
		if n.Kind() != object.Map {
			continue
		}
		conds := n.Get("conditions")
		if conds.Kind() == object.List {
			if !ev.leftOver(n.Get("parentRef")) && !(fresh && ev.outdated(conds)) {
				if conds.Size() == 0 {
					ev.emptyConditions = true
				}
				ev.conditions(conds, key)
			}
			continue
		}
		var c object.Condition
		if n.Get("status").Kind() == object.String && object.ReadCondition(n, &c) && string(c.Status) == n.TextAt("status") {
			ev.condition(n, c.Type, key)
			continue
		}
		if !embedded(n) {
			for k, v := range n.Fields() {
				ev.deepConditions(key, k, v, searchDepth)
			}
		}
		if read {
			continue
		}
		if want, ok := n.Get("replicas").Number(); ok {
			if have, ok := n.Get("readyReplicas").Number(); ok && have < want {
				ev.claimCount(have, want, "readyReplicas", key, "readyReplicas", n.Get("readyReplicas"))
			}
		}
		ev.listItem(key, n)
	}
}

// listItem hands an item of a list that is no condition and has none to its rules: its errors, states, results and flags.
func (ev *evidence) listItem(key string, n object.Value) {
	for k, v := range n.Fields() {
		if ev.readsMember(key, k) {
			continue
		}
		switch v.Kind() {
		case object.String:
			switch {
			case k == "level" && strings.EqualFold(v.Text(), "error") && messageLists.End(key):
				ev.claimField(errorField, "Error", object.Listed.Of(key, cmp.Or(n.TextAt("message"), n.Get2("type", "name").Text(),
					v.Text())), object.InStatus(key, k, v))
			case k == "error", k == "errors":
				ev.errorField(key, k, v)
			case stateKey(k) > 0:
				ev.itemState(key, k, v)
			case !formerKey(k) && resultKey(k) && ev.Words.MeaningOfHead(v.Text()) >= lexicon.UnderWay:
				ev.itemState(key, k, v)
			default:
				if _, ok := truth(v); ok {
					ev.itemFlag(key, k, v, n)
				}
			}
		case object.Bool:
			ev.itemFlag(key, k, v, n)
		case object.Map, object.List:
			if k == "error" || k == "errors" {
				ev.errorField(key, k, v)
			}
		}
	}
}

// untypedItem hands an item of a list of conditions that has no type to its rules, if it has a state of its own. If the status has a state,
// the list is its history.
func (ev *evidence) untypedItem(n object.Value, within string) {
	ev.hasUntyped = ev.hasUntyped || within == "" && n.Size() == 0
	if s := n.Get("state"); s.Kind() == object.String && within == "" && !ev.hasStateField() && ev.Words.MeaningOf(s.Text()) == lexicon.Broken {
		ev.itemState("conditions", "state", s)
	}
}

// itemFlag hands a flag of a list item to its rules. Only one that is false counts, and no result of one run of many.
func (ev *evidence) itemFlag(a, key string, n, item object.Value) {
	if yes, _ := truth(n); !yes && flagKeys[key] != flagResult {
		ev.componentFlag(a, key, key, n, item)
	}
}

// itemState hands the state of a list item to its rules. Only unhealthy states count: the other items may be in any state.
func (ev *evidence) itemState(key, field string, n object.Value) {
	switch ev.Words.MeaningOfState(n.Text(), ev.isTask()) {
	case lexicon.Broken, lexicon.UnderWay, lexicon.NotSo:
		ev.state(object.PathStatus, key, field, n)
	}
}

// outdated reports whether all conditions of a list were observed at an older generation.
func (ev *evidence) outdated(conds object.Value) bool {
	if ev.Generation < 0 || conds.Size() == 0 {
		return false
	}
	for n := range conds.Items() {
		if seen, ok := n.Get("observedGeneration").Number(); !ok || seen >= ev.Generation {
			return false
		}
	}
	return true
}

// leftOver reports whether a parent reference is none of those of the spec.
func (ev *evidence) leftOver(ref object.Value) bool {
	refs := ev.Spec.Get("parentRefs")
	if ref.Get("name").Text() == "" || refs.Size() == 0 {
		return false
	}
	for r := range refs.Items() {
		port, hasPort := r.Get("port").Number()
		refPort, refHasPort := ref.Get("port").Number()
		if r.Get("name").Text() == ref.Get("name").Text() && r.Get("sectionName").Text() == ref.Get("sectionName").Text() &&
			hasPort == refHasPort && port == refPort {
			return false
		}
	}
	return true
}

// namedStates hands a map of states by name, as {etcd: Down, api: Up}, to their rules. All its members are single words. Only unhealthy
// states count.
func (ev *evidence) namedStates(key string, n object.Value) {
	for k, v := range n.Fields() {
		if v.Kind() != object.String || !isWord(v.Text()) || stateKey(k) > 0 {
			return
		}
	}
	for k, v := range n.Fields() {
		ev.itemState(key, k, v)
	}
}

func isWord(s string) bool {
	for i := range len(s) {
		if !lexicon.IsLetter(s[i]) {
			return false
		}
	}
	return s != ""
}
