// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// errorKey says whether a field of the status holds an error when it is not empty.
func errorKey(key string) bool {
	switch key {
	case "failureMessage", "failureReason", "errorMessage", "errorReason", "errMsg", "lastError", "error", "errors",
		"lastErrorMessage", "lastErrors", "failure", "err", "problems", "issues":
		return true
	}
	return strings.HasSuffix(key, "Error") && !formerKey(key) && !startsWithWord(key, "on") && !startsWithWord(key, "ignore")
}

// failure weighs a field that holds an error.
func (g *gather) failure(a, b string, n node) {
	if !tells(n) {
		return
	}
	cl := claim{
		status: Failed, weight: weightBad - 2, conf: FromHeuristic, rule: "heuristic/error", reason: "Error",
		at: atStatus, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: "set"},
	}
	for _, text := range [...]string{n.str(), n.getStr("message"), n.getStr("description")} {
		if text != "" {
			cl.msg = message{s1: text}
			break
		}
	}
	g.against(&cl)
}

// tells says whether a field that is there for errors names one. Empty texts, words for nothing, and zeros do not.
func tells(n node) bool {
	switch n.kind() {
	case kindString:
		return !noError(n.str())
	case kindMap:
		if m := n.get("message"); m.kind() == kindString {
			return tells(m)
		}
		found := false
		n.fields(func(_ string, v node) bool {
			found = v.kind() != kindMap && tells(v) || v.kind() == kindMap && v.size() > 0
			return !found
		})
		return found
	case kindList:
		return n.size() > 0
	case kindInt, kindFloat:
		v, whole := n.num()
		return !whole || v != 0
	case kindBool:
		return n.isTrue()
	}
	return n.present()
}

// noError says whether a text is one of the words for nothing.
func noError(s string) bool {
	switch s {
	case "", "None", "none", "NONE", "nil", "<nil>", "null", "N/A", "n/a", "NA", "ok", "OK", "Ok", "-", "[]", "{}",
		"0", "false", "False", "no", "No", "NoError", "no error", "No error", "success", "Success":
		return true
	}
	return false
}

// resultKey says whether a field of the status holds how something ended.
func resultKey(key string) bool {
	switch key {
	case "result", "verdict", "outcome":
		return true
	}
	return strings.HasSuffix(key, "Result") || strings.HasSuffix(key, "Verdict") || strings.HasSuffix(key, "Outcome")
}

// result weighs how something ended. Only what ended badly or is awaited counts; of a task, also what ended well.
func (g *gather) result(a, b string, n node) {
	if s := senseOfEnd(n.str()); s == senseBad || s == senseBusy || s == senseGood && g.isTask() {
		g.scalar(atStatus, a, b, n)
	}
}

// senseOfEnd is the sense of what stands before a colon: what follows is explanation. What is longer than a few words is prose, and
// what starts with a digit is a count.
func senseOfEnd(value string) sense {
	head, _, _ := strings.Cut(value, ":")
	if head == "" || len(head) > 48 || head[0] >= '0' && head[0] <= '9' {
		return senseNone
	}
	return senseOf(head)
}

// handlers weighs what handlers under way have written down, by name: Kopf keeps its progress so until a handler is through.
func (g *gather) handlers(n node) {
	n.fields(func(name string, v node) bool {
		if v.kind() != kindMap || v.get("success").isTrue() {
			return true
		}
		cl := claim{
			status: InProgress, weight: weightBusy, conf: FromHeuristic, rule: "heuristic/handler", reason: "Handling",
			at: atStatus, a: "kopf.progress", b: name, n: v.get("message"), msg: message{wording: listed, s1: name, s2: v.getStr("message")},
		}
		if v.get("failure").isTrue() {
			cl.status, cl.weight, cl.reason = Failed, weightBad, "HandlerFailed"
		}
		g.against(&cl)
		return true
	})
}
