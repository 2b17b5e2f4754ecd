// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cause is one machine-readable contribution to a condition: the object (zero for the object itself) and the condition that explains it,
// which is never nil and must not be changed. Causes survive a roll-up: a summary of a mirror names the deepest one.
type Cause struct {
	Object   ObjectRef
	Severity Severity // that counts: of the condition, or declared for its reason
	*metav1.Condition
}

// String is "Kind/namespace/name Type=Status Reason: message", without the parts that are empty.
func (c Cause) String() string {
	text := c.Type + "=" + string(c.Status)
	if c.Object != (ObjectRef{}) {
		text = c.Object.String() + " " + text
	}
	if c.Reason != "" {
		text += " " + c.Reason
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

// typeCause is a cause of a type that the list does not hold: one of several facts, or one of another object.
type typeCause struct {
	typ int
	merge.Cause
}

func newCause(typ int, c Cause) typeCause {
	return typeCause{typ, merge.Cause{Object: merge.Object(c.Object), Severity: string(c.Severity), Condition: c.Condition}}
}

// addFact keeps a fact of the object as a cause of a type.
func (s *session) addFact(i int, f *fact) {
	c := s.kind.condition(f)
	s.causes = append(s.causes, typeCause{i, merge.Cause{Severity: string(c.Severity), Condition: &c.Condition}})
}

// dropCauses drops the causes of a fact that is not published.
func (s *session) dropCauses(i int) {
	s.causes = slices.DeleteFunc(s.causes, func(t typeCause) bool { return t.typ == i })
}

// Causes explains a condition of the result, worst cause first. A healthy condition has no causes. The causes of a
// summary are the causes of its dependents, down to the conditions of other objects that [Pass.ReportCondition]
// brought. Several causes that were reported to one type are all returned; without any the condition is its own
// cause. Causes costs as much as the summary, and nothing if it is not called.
func (r Result) Causes(conditionType string) []Cause {
	if r.kind == nil {
		return nil
	}
	i := r.kind.find(conditionType, 0)
	if i < 0 {
		return nil
	}
	if r.background == nil {
		r.background = &background{}
	}
	r.list = r.Conditions()
	var out []Cause
	for _, c := range (explanation{&r, map[int][]merge.Cause{}}).causes(i) {
		out = append(out, Cause{ObjectRef(c.Object), Severity(c.Severity), c.Condition})
	}
	return out
}

// explanation is one look for causes.
type explanation struct {
	*Result
	known map[int][]merge.Cause // also stops a cycle
}

// causes explains the type at position i.
func (r explanation) causes(i int) []merge.Cause {
	if known, ok := r.known[i]; ok {
		return known
	}
	r.known[i] = nil
	t := &r.kind.Types[i]
	at := r.find(i)
	if at < 0 || t.Polarity == Neutral || t.Polarity.Good(r.list[at].Status) {
		return nil
	}
	c := &r.list[at]
	var out []merge.Cause
	if t.Summary != nil && !slices.Contains(r.Superseded, t.Name) {
		var m merge.Merger
		target := t.target()
		m.Start(r.kind.Dialect.rules(), &merge.Options{Missing: t.Summary.Missing}, &target, false, true)
		m.Merge(r.inputs(i))
		m.Causes(func(n int) { out = make([]merge.Cause, 0, n) }, func(object merge.Object, severity string, c *metav1.Condition) {
			out = append(out, merge.Cause{Object: object, Severity: severity, Condition: c})
		})
	}
	if out = append(out, r.own(i)...); len(out) == 0 {
		own := c.Condition
		own.Type, own.Reason = t.Name, t.canonicalReason(c)
		out = []merge.Cause{{Severity: string(cmp.Or(c.Severity, t.severity(c))), Condition: &own}}
	}
	r.known[i] = out
	return out
}

// own returns the causes that the pass kept of the type, worst first.
func (r explanation) own(i int) []merge.Cause {
	var out []merge.Cause
	for _, c := range r.kept {
		if c.typ == i && !merge.Holds(out, c.Cause) {
			out = append(out, c.Cause)
		}
	}
	t := &r.kind.Types[i]
	slices.SortFunc(out, func(a, b merge.Cause) int {
		return cmp.Or(
			cmp.Compare(unknownLast(a.Status), unknownLast(b.Status)), cmp.Compare(merge.SeverityRank(a.Severity), merge.SeverityRank(b.Severity)),
			a.Object.Compare(&b.Object), cmp.Compare(a.Type, b.Type),
			cmp.Compare(t.reason(a.Reason, a.Status), t.reason(b.Reason, b.Status)), a.Compare(b))
	})
	return out
}

func unknownLast(s Status) int {
	if s == Unknown {
		return 1
	}
	return 0
}

// inputs are the dependents of a summary, as its commit saw them.
func (r explanation) inputs(i int) []merge.Input {
	t := &r.kind.Types[i]
	var out []merge.Input
	add := func(j int) {
		var c *Condition
		if at := r.find(j); at >= 0 {
			c = &r.list[at]
		}
		if name := r.kind.Types[j].Name; c == nil && slices.ContainsFunc(r.kept, func(t typeCause) bool {
			return t.typ == i && t.Type == name && t.Object == (merge.Object{})
		}) {
			return // reported, though not in the list: the commit kept the cause
		}
		var in merge.Input
		r.kind.input(&in, j, c, r.generation)
		in.Causes = r.causes(j)
		out = append(out, in)
	}
	for _, name := range t.Summary.Of {
		if j := r.kind.find(name, 0); j >= 0 && j != i {
			add(j)
		} else {
			out = append(out, merge.Input{Type: name})
		}
	}
	if len(t.Summary.Of) == 0 {
		for j := range r.kind.Types {
			if r.kind.sums(i, j) {
				add(j)
			}
		}
	}
	for _, g := range r.gates {
		j := r.kind.find(g.conditionType, 0)
		switch {
		case t.Role != RoleSummary:
		case j < 0:
			in := g.input()
			if at := Find(r.list, g.conditionType); at >= 0 {
				offer(&in, &r.list[at])
				in.Stale = r.kind.stale(in.Condition, r.generation)
			}
			out = append(out, in)
		case j != i && !r.kind.sums(i, j):
			add(j)
		}
	}
	return out
}

// find returns the position of the type's condition in the list: under its name, or else an alias.
func (r *Result) find(i int) int {
	t, n := &r.kind.Types[i], r.size()
	for at := range n {
		if r.at(at).Type == t.Name {
			return at
		}
	}
	for at := range n {
		if slices.Contains(t.Aliases, r.at(at).Type) {
			return at
		}
	}
	return -1
}
