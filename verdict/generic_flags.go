// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// flagMeaning is what it means that a flag is false.
type flagMeaning uint8

const (
	flagOther  flagMeaning = iota
	flagWaits              // not reached yet
	flagFails              // refused
	flagResult             // not reached yet, or failed where the object says that it has finished
	flagLight              // not reached yet, perhaps by a part only; what a summary says outweighs it
	flagBusy               // nothing: it is true while something is under way
)

// flagKeys are the names of booleans that are true where all is well, and of some that are true while something is under way.
var flagKeys = map[string]flagMeaning{
	"ready": flagWaits, "readyToUse": flagWaits, "isReady": flagWaits, "healthy": flagWaits, "available": flagWaits,
	"synced": flagWaits, "completed": flagWaits, "initialized": flagWaits, "provisioned": flagWaits, "deployed": flagWaits,
	"installed": flagWaits, "connected": flagWaits, "registered": flagWaits, "attached": flagWaits, "applied": flagWaits,
	"reconciled": flagWaits, "finished": flagLight, "upToDate": flagLight, "established": flagLight, "published": flagLight,
	"accepted": flagLight, "bound": flagLight, "online": flagLight,
	"succeeded": flagResult, "successful": flagResult, "success": flagResult, "isSuccess": flagResult, "issuccess": flagResult,
	"valid": flagFails, "pass": flagFails, "passed": flagFails,
	"inProgress": flagBusy, "updating": flagBusy, "upgrading": flagBusy, "reconciling": flagBusy, "transitioning": flagBusy,
	"restarting": flagBusy, "initializing": flagBusy, "deleting": flagBusy,
}

// lightFlagEnds are the ends of names of booleans that are true where all is well with a part.
var lightFlagEnds = [...]string{"Ready", "Granted", "Available", "Healthy", "Synced", "Initialized"}

func (g *gather) meaningOf(key string) flagMeaning {
	if m, ok := flagKeys[key]; ok {
		return m
	}
	if strings.HasPrefix(key, "is") && len(key) > 2 && isUpper(key[2]) && g.types.about(key).aspect == aspectActivity {
		return flagBusy
	}
	for _, end := range lightFlagEnds {
		if strings.HasSuffix(key, end) && g.types.about(key).aspect == aspectPositive {
			return flagLight
		}
	}
	return flagOther
}

// flag weighs a boolean of the status whose name says what it is about. A word like "False" counts like the boolean.
func (g *gather) flag(key string, n node) {
	yes, _ := truth(n)
	cl := claim{conf: FromHeuristic, rule: "heuristic/flag", at: atStatus, a: key, n: n, reason: key}
	cl.msg = message{wording: fieldIs, s1: key, s2: "false"}
	if yes {
		cl.msg.s2 = "true"
	}
	m := g.meaningOf(key)
	switch {
	case m == flagOther:
		if yes && n.kind() == kindBool && key != "warning" && g.types.about(key).aspect == aspectNegative {
			cl.status, cl.weight = Failed, weightBad-3
			g.against(&cl)
		}
		return
	case m == flagBusy:
		if yes {
			cl.status, cl.weight = InProgress, weightBusy-3
			g.against(&cl)
		}
		return
	case yes:
		cl.weight = goodFlag
		g.speakFor(&cl)
		return
	}
	g.refused(&cl, m, g.status)
	if m == flagLight {
		g.perhaps(&cl)
	} else {
		g.against(&cl)
	}
}

// flagOf weighs a flag of a part. That it is true says less than one of the whole.
func (g *gather) flagOf(a, b, key string, n, part node) {
	yes, _ := truth(n)
	m := g.meaningOf(key)
	if m == flagOther || m == flagBusy {
		return
	}
	cl := claim{conf: FromHeuristic, rule: "heuristic/flag", at: atStatus, a: a, b: b, n: n, reason: key}
	if b != key {
		cl.n = part // the path names the part
	}
	if yes {
		cl.weight, cl.msg = goodCount, message{wording: fieldIs, s1: key, s2: "true"}
		g.speakFor(&cl)
		return
	}
	cl.msg = message{wording: fieldIs, s1: key, s2: "false"}
	g.refused(&cl, m, part)
	g.perhaps(&cl)
}

// refused says what it means that a flag is false, with the words that stand beside it.
func (g *gather) refused(cl *claim, m flagMeaning, beside node) {
	cl.status, cl.weight = InProgress, weightBusy-3
	failed := m == flagFails
	if m == flagResult {
		for _, key := range [...]string{"finished", "completed", "done"} {
			failed = failed || beside.get(key).isTrue()
		}
	}
	if cl.explained(beside) || failed {
		cl.status, cl.weight = Failed, weightBad-3
	}
}

// explained says whether the message or the reason beside a field tells of a failure, and takes it over.
func (cl *claim) explained(beside node) bool {
	if text := beside.get("message").str(); text != "" && senseOfMessage(text) == senseBad {
		cl.msg = message{s1: text}
		return true
	}
	if reason := beside.get("reason").str(); reason != "" && (senseOf(reason) == senseBad || senseOfMessage(reason) == senseBad) {
		cl.reason = reason
		return true
	}
	return false
}

// truth reads a boolean, or a string that says True or False.
func truth(n node) (yes, ok bool) {
	if b, ok := n.boolean(); ok {
		return b, true
	}
	switch n.str() {
	case "True", "true":
		return true, true
	case "False", "false":
		return false, true
	}
	return false, false
}

// isTruth says whether a node is the status of a condition.
func isTruth(n node) bool {
	_, ok := truth(n)
	return ok || n.str() == isUnknownWord
}
