// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// fields weighs the members of the status: states, errors, booleans, and conditions nested in lists.
func (g *gather) fields() {
	g.j.status.fields(func(key string, n node) bool {
		if key == "conditions" {
			return true
		}
		switch n.kind() {
		case kindString:
			if stateKey(key) > 0 {
				g.scalar(atStatus, key, "", n)
			} else if errorKey(key) {
				g.failure(key, "", n)
			}
		case kindBool:
			g.flag(key, n)
		case kindMap:
			if errorKey(key) {
				g.failure(key, "", n)
			} else {
				g.inner(key, n)
			}
		case kindList:
			if errorKey(key) {
				g.failure(key, "", n)
			} else {
				g.nested(key, n)
			}
		}
		return true
	})
}

// inner weighs a map of the status: its states, and the states of its maps (components by name).
func (g *gather) inner(key string, n node) {
	if historyKey(key) {
		return
	}
	g.conditions(n.get("conditions"), key)
	n.fields(func(k string, v node) bool {
		switch v.kind() {
		case kindString:
			if stateKey(k) > 0 {
				g.scalar(atStatus, key, k, v)
			} else if errorKey(k) {
				g.failure(key, k, v)
			}
		case kindMap:
			v.fields(func(k2 string, v2 node) bool {
				if stateKey(k2) == 2 && v2.kind() == kindString {
					g.scalar(atStatus, key, k, v2)
				}
				return true
			})
		}
		return true
	})
}

// nested weighs the conditions of list items: parents, ancestors, listeners. An item of which no condition is of the
// present generation is left over from earlier, and counts only where all items are.
func (g *gather) nested(key string, list node) {
	if historyKey(key) {
		return
	}
	fresh := false
	it := list.items()
	for n := (node{}); it.more(&n); {
		fresh = fresh || !g.leftOver(n.get("conditions"))
	}
	it = list.items()
	for n := (node{}); it.more(&n); {
		conds := n.get("conditions")
		if conds.kind() == kindList && (!fresh || !g.leftOver(conds)) {
			g.conditions(conds, key)
		}
	}
}

func (g *gather) leftOver(conds node) bool {
	if g.j.generation < 0 {
		return false
	}
	any := false
	it := conds.items()
	for n := (node{}); it.more(&n); {
		seen, ok := n.get("observedGeneration").num()
		if !ok || seen >= g.j.generation {
			return false
		}
		any = true
	}
	return any
}

// scalar weighs a word of a state field.
func (g *gather) scalar(at place, a, b string, n node) {
	value := n.str()
	if value == "" || len(value) > 200 {
		return
	}
	cl := claim{conf: FromHeuristic, rule: "heuristic/state", at: at, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: value}}
	cl.reason = value
	s := senseOfState(value, g.run)
	switch s {
	case senseBad:
		cl.status, cl.weight = Failed, weightBad-1
	case senseBusy, senseVague:
		cl.status, cl.weight = InProgress, weightBusy-1
	case senseOff:
		cl.status, cl.weight = Suspended, weightStopped
	case senseUnknown:
		cl.status, cl.weight = Unknown, weightUnknown
	case senseGood:
		cl.weight = 4
		g.speakFor(&cl)
		return
	default:
		return
	}
	g.against(&cl)
}

// failure weighs a field that holds an error.
func (g *gather) failure(a, b string, n node) {
	if !n.present() {
		return
	}
	cl := claim{
		status: Failed, weight: weightBad - 2, conf: FromHeuristic, rule: "heuristic/error", reason: "Error",
		at: atStatus, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: "set"},
	}
	if s := n.str(); s != "" {
		cl.msg = text(s)
	} else if s := n.get("message").str(); s != "" {
		cl.msg = text(s)
	}
	g.against(&cl)
}

// flag weighs a boolean that says whether the object is ready.
func (g *gather) flag(key string, n node) {
	switch key {
	case "ready", "readyToUse", "healthy", "available", "synced", "isReady", "completed", "succeeded", "valid", "initialized":
	default:
		return
	}
	cl := claim{conf: FromHeuristic, rule: "heuristic/flag", at: atStatus, a: key, n: n}
	if n.isTrue() {
		cl.weight, cl.reason, cl.msg = 3, "Ready", message{wording: fieldIs, s1: key, s2: "true"}
		g.speakFor(&cl)
		return
	}
	cl.status, cl.weight, cl.reason, cl.msg = InProgress, weightBusy-3, "NotReady", message{wording: fieldIs, s1: key, s2: "false"}
	g.against(&cl)
}

// counts compares what is wanted with what is there.
func (g *gather) counts() {
	j := g.j
	want, ok := j.spec.get("replicas").num()
	if !ok {
		if want, ok = j.status.get("desiredNumberScheduled").num(); !ok {
			want, ok = j.status.get("desiredReplicas").num()
		}
	}
	if !ok {
		return
	}
	seen := false
	for _, field := range countFields {
		n := j.status.get(field)
		have, ok := n.num()
		if !ok {
			continue
		}
		seen = true
		if have < want {
			g.against(&claim{
				status: InProgress, weight: weightBusy - 2, conf: FromHeuristic, rule: "heuristic/replicas", reason: "LessReplicas",
				at: atStatus, a: field, n: n, msg: message{wording: counted, s1: field, n1: have, n2: want},
			})
			continue
		}
		g.speakFor(&claim{
			weight: 2, conf: FromHeuristic, rule: "heuristic/replicas", reason: "Replicas",
			at: atStatus, a: field, n: n, msg: message{wording: counted, s1: field, n1: have, n2: want},
		})
	}
	if !seen && want > 0 && j.status.get("replicas").kind() == kindInt {
		return
	}
}

var countFields = [...]string{"readyReplicas", "availableReplicas", "updatedReplicas", "numberReady", "replicas"}

// stateKey says whether a field of the status names a state: 2 for the usual names, 1 for others that end so.
func stateKey(key string) int {
	switch key {
	case "phase", "state", "status", "health", "Phase", "State", "Status":
		return 2
	}
	if len(key) < 6 {
		return 0
	}
	if strings.HasSuffix(key, "Phase") || strings.HasSuffix(key, "State") || strings.HasSuffix(key, "Status") || strings.HasSuffix(key, "Health") {
		return 1
	}
	return 0
}

// errorKey says whether a field of the status holds an error when it is not empty.
func errorKey(key string) bool {
	switch key {
	case "failureMessage", "failureReason", "errorMessage", "errorReason", "errMsg", "lastError", "error", "errors",
		"lastErrorMessage", "lastErrors", "failure", "err", "reconcileError", "syncError":
		return true
	}
	return false
}

// historyKey says whether a field lists what was, which says nothing about what is.
func historyKey(key string) bool {
	k := strings.ToLower(key)
	return strings.Contains(k, "history") || strings.HasPrefix(k, "last") || strings.HasPrefix(k, "previous") || strings.HasPrefix(k, "old")
}

// runsToCompletion guesses from its name that a kind is a task that ends.
func runsToCompletion(kind string) bool {
	for _, end := range [...]string{"Run", "Job", "Task", "Execution", "Experiment", "Workflow", "Backup", "Restore", "Migration", "Operation", "Build", "Test"} {
		if strings.HasSuffix(kind, end) {
			return true
		}
	}
	return false
}
