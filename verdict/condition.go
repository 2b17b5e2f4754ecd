// SPDX-License-Identifier: Apache-2.0

package verdict

// cond is one condition, read as leniently as is safe: a boolean status counts as its word, and so does a word in
// another letter case.
type cond struct {
	n           node
	typ, status string
}

const (
	isTrueWord    = "True"
	isFalseWord   = "False"
	isUnknownWord = "Unknown"
)

// readCondition reads a condition of a list; what has no type is none.
func readCondition(n node, c *cond) bool {
	if typ := n.getStr("type"); typ != "" {
		*c = cond{n, typ, statusWord(n.getWord("status"))}
		return true
	}
	return false
}

// statusWord reads a status, whatever its letter case; a word that means nothing is Unknown.
func statusWord(s string) string {
	switch s {
	case isTrueWord, isFalseWord, isUnknownWord:
		return s
	case "true", "TRUE":
		return isTrueWord
	case "false", "FALSE":
		return isFalseWord
	}
	return isUnknownWord
}

// The severities by which authors say whether they count a condition as a failure (Cluster API v1beta1, Knative).
const (
	severityError = "Error"
	severityInfo  = "Info"
)

func (c *cond) severity() string { return c.n.getStr("severity") }

// observed is the generation that the condition was observed at.
func (c *cond) observed() (int64, bool) { return c.n.getNum("observedGeneration") }

func (c *cond) reason() string  { return c.n.getStr("reason") }
func (c *cond) message() string { return c.n.getStr("message") }

// text is the message of the condition, or a sentence about it.
func (c *cond) text() message {
	if m := c.message(); m != "" {
		return text(m)
	}
	return message{wording: conditionIs, s1: c.typ, s2: c.status}
}

// find returns the condition of a type. Of several with the same type the worst counts (False, then Unknown, then True),
// so that their order does not matter.
func (j *judge) find(typ string, out *cond) bool { return findIn(j.status.get("conditions"), typ, out) }

// findIn is find in any list.
func findIn(list node, typ string, out *cond) bool {
	found := false
	it := list.items()
	var c cond
	for n := (node{}); it.more(&n); {
		if n.getStr("type") != typ || !readCondition(n, &c) {
			continue
		}
		if !found || c.before(out) {
			*out, found = c, true
		}
	}
	return found
}

// findAll is find for several types in one walk: out[i] is the condition of type want[i], and without a type where there is none.
func (j *judge) findAll(out []cond, want ...string) {
	it := j.status.get("conditions").items()
	for n := (node{}); it.more(&n); {
		typ := n.getStr("type")
		for i, w := range want {
			if typ != w {
				continue
			}
			if c := (cond{n, typ, statusWord(n.getWord("status"))}); out[i].typ == "" || c.before(&out[i]) {
				out[i] = c
			}
		}
	}
}

// before orders conditions of one type.
func (c *cond) before(o *cond) bool {
	if a, b := statusOrder(c.status), statusOrder(o.status); a != b {
		return a < b
	}
	if a, b := c.reason(), o.reason(); a != b {
		return a < b
	}
	if a, b := c.message(), o.message(); a != b {
		return a < b
	}
	return c.beforeRaw(o)
}

// beforeRaw orders conditions that say the same in other words.
func (c *cond) beforeRaw(o *cond) bool {
	a, b := c.n.get("status"), o.n.get("status")
	if a.kind() != b.kind() {
		return a.kind() < b.kind()
	}
	if x, y := a.word(), b.word(); x != y {
		return x < y
	}
	if x, y := c.n.get("lastTransitionTime").str(), o.n.get("lastTransitionTime").str(); x != y {
		return x < y
	}
	if x, y := c.n.get("observedGeneration"), o.n.get("observedGeneration"); x.kind() != y.kind() || x.numOr(0) != y.numOr(0) {
		return x.kind() < y.kind() || x.kind() == y.kind() && x.numOr(0) < y.numOr(0)
	}
	if x, y := c.n.get("reason"), o.n.get("reason"); x.kind() != y.kind() {
		return x.kind() < y.kind()
	}
	return c.severity() < o.severity()
}

func statusOrder(s string) int {
	switch s {
	case isFalseWord:
		return 0
	case isUnknownWord:
		return 1
	}
	return 2
}
