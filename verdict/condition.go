// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// Condition is an entry of a list of conditions, read without a copy. A boolean status reads as its word, and so does a word in another
// letter case.
type Condition struct {
	Type   string
	Status conditions.Status // True, False or Unknown
	n      Object
}

// Reason returns the reason as it is written.
func (c *Condition) Reason() string { return c.n.getStr("reason") }

// Message returns the message as it is written.
func (c *Condition) Message() string { return c.n.getStr("message") }

// Severity returns the severity, by which authors rate a failure (Cluster API v1beta1, Knative); empty without one.
func (c *Condition) Severity() conditions.Severity {
	return conditions.Severity(c.n.getStr("severity"))
}

// ObservedGeneration returns the generation at which the condition was observed.
func (c *Condition) ObservedGeneration() (generation int64, ok bool) {
	return c.n.getNum("observedGeneration")
}

// FailsNow reports whether a condition decides although the status is about an older generation: it was itself observed at the current
// generation, and by it the object is Failed or Degraded. A controller that fails to apply a change reports that in a condition, and often
// records the generation in the status only after the change was applied.
func (c *Condition) FailsNow(generation int64, by Status) bool {
	if !by.Broken() || generation < 0 {
		return false
	}
	seen, ok := c.ObservedGeneration()
	return ok && seen == generation
}

// readCondition reads an entry of a list; it reports false for one without a type.
func readCondition(n Object, c *Condition) bool {
	if typ := n.getStr("type"); typ != "" {
		*c = Condition{typ, statusWord(n.getWord("status")), n}
		return true
	}
	return false
}

// statusWord reads a status in any letter case; any other word is Unknown.
func statusWord(s string) conditions.Status {
	switch s {
	case "True", "true", "TRUE":
		return conditions.True
	case "False", "false", "FALSE":
		return conditions.False
	}
	return conditions.Unknown
}

// text returns the message of the condition, or else a sentence with its status.
func (c *Condition) text() message {
	if m := c.Message(); m != "" {
		return text(m)
	}
	return message{format: conditionIs, s1: c.Type, s2: string(c.Status)}
}

// find returns the condition of a type. Of several with the same type the worst counts (False, then Unknown, then True), so that their
// order does not matter.
func (j *judgement) find(typ string, out *Condition) bool {
	return findIn(j.status.get("conditions"), typ, out)
}

// findIn is find in any list.
func findIn(list Object, typ string, out *Condition) bool {
	found := false
	it := list.items()
	var c Condition
	for n := (Object{}); it.more(&n); {
		if n.getStr("type") != typ || !readCondition(n, &c) {
			continue
		}
		if !found || c.before(out) {
			*out, found = c, true
		}
	}
	return found
}

// findAll is find for several types in one pass: out[i] is the condition of type want[i], and has no type where there is none.
func (j *judgement) findAll(out []Condition, want ...string) {
	it := j.status.get("conditions").items()
	for n := (Object{}); it.more(&n); {
		typ := n.getStr("type")
		for i, w := range want {
			if typ != w {
				continue
			}
			if c := (Condition{typ, statusWord(n.getWord("status")), n}); out[i].Type == "" || c.before(&out[i]) {
				out[i] = c
			}
		}
	}
}

// before orders conditions of one type.
func (c *Condition) before(o *Condition) bool {
	if a, b := statusOrder(c.Status), statusOrder(o.Status); a != b {
		return a < b
	}
	if a, b := c.Reason(), o.Reason(); a != b {
		return a < b
	}
	if a, b := c.Message(), o.Message(); a != b {
		return a < b
	}
	return c.beforeRaw(o)
}

// beforeRaw orders conditions with the same status, reason and message that are written differently.
func (c *Condition) beforeRaw(o *Condition) bool {
	a, b := c.n.get("status"), o.n.get("status")
	if a.kind() != b.kind() {
		return a.kind() < b.kind()
	}
	if x, y := a.word(), b.word(); x != y {
		return x < y
	}
	if x, y := c.n.getStr("lastTransitionTime"), o.n.getStr("lastTransitionTime"); x != y {
		return x < y
	}
	if x, y := c.n.get("observedGeneration"), o.n.get("observedGeneration"); x.kind() != y.kind() || x.numOr(0) != y.numOr(0) {
		return x.kind() < y.kind() || x.kind() == y.kind() && x.numOr(0) < y.numOr(0)
	}
	if x, y := c.n.get("reason"), o.n.get("reason"); x.kind() != y.kind() {
		return x.kind() < y.kind()
	}
	return c.Severity() < o.Severity()
}

// statusOrder orders statuses, the worst first.
func statusOrder(s conditions.Status) int {
	switch s {
	case conditions.False:
		return 0
	case conditions.Unknown:
		return 1
	}
	return 2
}
