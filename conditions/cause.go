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
	Object   Ref
	Severity Severity // that counts: of the condition, or declared for its reason
	*metav1.Condition
}

// String is "Kind/namespace/name Type=Status Reason: message", without the parts that are empty.
func (c Cause) String() string {
	text := c.Type + "=" + string(c.Status)
	if c.Object != (Ref{}) {
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

// compareCauses orders by object, type and content.
func compareCauses(a, b Cause) int {
	return cmp.Or(
		compareRefs(&a.Object, &b.Object), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Status, b.Status),
		cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
}

func compareRefs(a, b *Ref) int { return (*merge.Object)(a).Compare((*merge.Object)(b)) }

func holdsCause(list []Cause, c Cause) bool {
	return slices.ContainsFunc(list, func(other Cause) bool { return compareCauses(other, c) == 0 })
}

// conditionOf returns the condition of an item as it counts: the one that was offered, unless that is missing, stale or of another name.
func conditionOf(r *item) *metav1.Condition {
	c := r.Condition
	if c != nil && !r.Stale && c.Type == r.Type && c.Status == r.Status() {
		return c
	}
	out := metav1.Condition{Type: r.Type, Status: r.Status(), Reason: r.Reason(), Message: r.Message()}
	if c != nil {
		out.ObservedGeneration, out.LastTransitionTime = c.ObservedGeneration, c.LastTransitionTime
	}
	return &out
}

// typeCause is a cause of a type that the list does not hold: one of several facts, or one of another object.
type typeCause struct {
	typ int
	Cause
}

// addCauses keeps causes of a type.
func (s *session) addCauses(i int, causes ...Cause) {
	for _, c := range causes {
		s.causes = append(s.causes, typeCause{i, c})
	}
}

// addFact keeps a fact of the object as a cause of a type.
func (s *session) addFact(i int, f *fact) {
	c := s.kind.condition(f)
	s.addCauses(i, Cause{Severity: c.Severity, Condition: &c.Condition})
}

// dropCauses drops the causes of a fact that is not published.
func (s *session) dropCauses(i int) {
	s.causes = slices.DeleteFunc(s.causes, func(t typeCause) bool { return t.typ == i })
}

// Causes explains a condition of the result: nothing while it is healthy; otherwise what made it unhealthy or Unknown, worst
// first. For a summary these are the causes of its dependents, down to the conditions of other objects where [Pass.ReportMerged]
// brought them; where several causes were reported to one type, each of them; otherwise the condition itself. It costs
// what the summary costs, and nothing if it is not called.
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
	return explanation{&r, map[int][]Cause{}}.causes(i)
}

// explanation is one look for causes.
type explanation struct {
	*Result
	known map[int][]Cause // also stops a cycle
}

// causes explains the type at position i.
func (r explanation) causes(i int) []Cause {
	if known, ok := r.known[i]; ok {
		return known
	}
	r.known[i] = nil
	t := &r.kind.Types[i]
	at := r.find(i)
	if at < 0 || t.Polarity == Neutral || t.Polarity.Good(r.Conditions[at].Status) {
		return nil
	}
	c := &r.Conditions[at]
	var out []Cause
	if t.Summary != nil && t.Summary.Merge == nil && !slices.Contains(r.Superseded, t.Name) {
		o := MergeOptions{Dialect: r.kind.Dialect, Target: *t, Missing: t.Summary.Missing}
		m, _ := Summarize(r.inputs(i), o)
		out = m.Causes
	}
	if out = append(out, r.own(i)...); len(out) == 0 {
		own := c.Condition
		own.Type, own.Reason = t.Name, t.canonicalReason(c)
		out = []Cause{{Severity: cmp.Or(c.Severity, t.severity(c)), Condition: &own}}
	}
	r.known[i] = out
	return out
}

// own returns the causes that the pass kept of the type, worst first.
func (r explanation) own(i int) []Cause {
	var out []Cause
	for _, c := range r.kept {
		if c.typ == i && !holdsCause(out, c.Cause) {
			out = append(out, c.Cause)
		}
	}
	t := &r.kind.Types[i]
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(
			cmp.Compare(unknownLast(a.Status), unknownLast(b.Status)), cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			compareRefs(&a.Object, &b.Object), cmp.Compare(a.Type, b.Type),
			cmp.Compare(t.reason(a.Reason, a.Status), t.reason(b.Reason, b.Status)), compareCauses(a, b))
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
func (r explanation) inputs(i int) []Input {
	t := &r.kind.Types[i]
	var out []Input
	add := func(j int) {
		var c *Condition
		if at := r.find(j); at >= 0 {
			c = &r.Conditions[at]
		}
		if name := r.kind.Types[j].Name; c == nil && slices.ContainsFunc(r.kept, func(t typeCause) bool {
			return t.typ == i && t.Type == name &&
				t.Object == (Ref{})
		}) {
			return // reported, though not in the list: the commit kept the cause
		}
		var in Input
		r.kind.input(&in, j, c, r.generation)
		in.Causes = r.causes(j)
		out = append(out, in)
	}
	for _, name := range t.Summary.Of {
		if j := r.kind.find(name, 0); j >= 0 && j != i {
			add(j)
		} else {
			out = append(out, Input{Type: name})
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
		case !r.kind.gates(&g, i):
		case j < 0:
			in := Input{Type: g.conditionType, Polarity: g.polarity}
			if at := Find(r.Conditions, g.conditionType); at >= 0 {
				in.Condition = &r.Conditions[at]
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
	t := &r.kind.Types[i]
	if at := Find(r.Conditions, t.Name); at >= 0 {
		return at
	}
	for at := range r.Conditions {
		if slices.Contains(t.Aliases, r.Conditions[at].Type) {
			return at
		}
	}
	return -1
}
