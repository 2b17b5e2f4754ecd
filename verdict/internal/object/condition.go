// SPDX-License-Identifier: Apache-2.0

package object

import (
	"time"

	"github.com/tristate/tristate/conditions"
)

// Condition is an entry of a list of conditions, read without a copy. A boolean status reads as its word, and so does a word in another
// letter case.
type Condition struct {
	Type   string
	Status conditions.Status // True, False or Unknown
	N      Value
}

// Reason returns the reason as it is written.
func (c *Condition) Reason() string { return c.N.TextAt("reason") }

// Message returns the message as it is written.
func (c *Condition) Message() string { return c.N.TextAt("message") }

// Severity returns the severity, by which authors rate a failure (Cluster API v1beta1, Knative); empty without one.
func (c *Condition) Severity() conditions.Severity {
	return conditions.Severity(c.N.TextAt("severity"))
}

// LastTransition returns the time of the last transition; zero without one.
func (c *Condition) LastTransition() time.Time { return TimeOf(c.N.TextAt("lastTransitionTime")) }

// ObservedGeneration returns the generation at which the condition was observed.
func (c *Condition) ObservedGeneration() (generation int64, ok bool) {
	return c.N.NumberAt("observedGeneration")
}

// ReadCondition reads an entry of a list; it reports false for one without a type.
func ReadCondition(n Value, c *Condition) bool {
	if typ := n.TextAt("type"); typ != "" {
		*c = Condition{typ, StatusWord(n.WordAt("status")), n}
		return true
	}
	return false
}

// StatusWord reads a status in any letter case; any other word is Unknown.
func StatusWord(s string) conditions.Status {
	switch s {
	case "True", "true", "TRUE":
		return conditions.True
	case "False", "false", "FALSE":
		return conditions.False
	}
	return conditions.Unknown
}

// Sentence returns the message of the condition, or else a sentence with its status.
func (c *Condition) Sentence() Message {
	if m := c.Message(); m != "" {
		return Text(m)
	}
	return ConditionIs.Of(c.Type, string(c.Status))
}

// Repeats reports whether a list may have two conditions of one type, by a hash of the types: some lists without any pass, too.
func (o Value) Repeats() bool {
	list, _ := o.v.([]any)
	var seen [2]uint64
	for _, item := range list {
		m, _ := item.(map[string]any)
		typ, _ := m["type"].(string)
		if typ == "" {
			continue
		}
		h := int(typ[0]) + 7*len(typ) + 3*int(typ[len(typ)-1]) + 5*int(typ[len(typ)/2])
		word, bit := &seen[h>>6&1], uint64(1)<<(h&63)
		if *word&bit != 0 {
			return true
		}
		*word |= bit
	}
	return false
}

// Superseded reports whether a list has a condition of the type of another that was written later. Of several of one type only the newest
// counts; of those without times, or with the same one, each does.
func (o Value) Superseded(one Value, typ string) bool {
	at := writtenAt(one)
	if at == 0 {
		return false
	}
	for n := range o.Items() {
		if n.TextAt("type") == typ && writtenAt(n) > at {
			return true
		}
	}
	return false
}

// writtenAt returns the time of the last update of a condition, or else of its last transition, in Unix seconds; 0 without one.
func writtenAt(n Value) int64 {
	return max(UnixOf(n.TextAt("lastTransitionTime")), UnixOf(n.TextAt("lastUpdateTime")))
}

// Find returns the condition of a type in a list. Of several with the same type the newest counts; of those without times the worst (False,
// then Unknown, then True), so that their order does not matter.
func Find(list Value, typ string, out *Condition) bool {
	var found [1]Condition
	FindAll(list, found[:], typ)
	if found[0].Type == "" {
		return false
	}
	*out = found[0]
	return true
}

// FindAll is Find for several types in one pass: out[i] is the condition of type want[i], and has no type where there is none.
func FindAll(list Value, out []Condition, want ...string) {
	for n := range list.Items() {
		typ := n.TextAt("type")
		for i, w := range want {
			if typ != w {
				continue
			}
			if out[i].Type != "" && list.Superseded(n, typ) {
				continue
			}
			if out[i].Type != "" && list.Superseded(out[i].N, typ) {
				out[i] = Condition{}
			}
			if c := (Condition{typ, StatusWord(n.WordAt("status")), n}); out[i].Type == "" || c.Before(&out[i]) {
				out[i] = c
			}
		}
	}
}

// Before orders conditions of one type.
func (c *Condition) Before(o *Condition) bool {
	if a, b := StatusOrder(c.Status), StatusOrder(o.Status); a != b {
		return a < b
	}
	if a, b := c.Reason(), o.Reason(); a != b {
		return a < b
	}
	if a, b := c.Message(), o.Message(); a != b {
		return a < b
	}
	return c.BeforeRaw(o)
}

// BeforeRaw orders conditions with the same status, reason and message that are written differently.
func (c *Condition) BeforeRaw(o *Condition) bool {
	a, b := c.N.Get("status"), o.N.Get("status")
	if a.Kind() != b.Kind() {
		return a.Kind() < b.Kind()
	}
	if x, y := a.Word(), b.Word(); x != y {
		return x < y
	}
	if x, y := c.N.TextAt("lastTransitionTime"), o.N.TextAt("lastTransitionTime"); x != y {
		return x < y
	}
	if x, y := c.N.Get("observedGeneration"), o.N.Get("observedGeneration"); x.Kind() != y.Kind() || x.NumberOr(0) != y.NumberOr(0) {
		return x.Kind() < y.Kind() || x.Kind() == y.Kind() && x.NumberOr(0) < y.NumberOr(0)
	}
	if x, y := c.N.Get("reason"), o.N.Get("reason"); x.Kind() != y.Kind() {
		return x.Kind() < y.Kind()
	}
	return c.Severity() < o.Severity()
}

// StatusOrder orders statuses, the worst first.
func StatusOrder(s conditions.Status) int {
	switch s {
	case conditions.False:
		return 0
	case conditions.Unknown:
		return 1
	}
	return 2
}
