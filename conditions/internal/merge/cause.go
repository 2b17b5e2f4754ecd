// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cause is one contribution to a condition: the object (zero for the object itself) and the condition that explains
// it. The condition is never nil and must not be changed. The type has the fields of conditions.Cause, so that one
// converts to the other.
type Cause struct {
	Object   Object
	Severity string // that counts: of the condition, or declared for its reason
	*metav1.Condition
}

// Compare orders by object, type and content.
func (c Cause) Compare(other Cause) int {
	return cmp.Or(
		c.Object.Compare(&other.Object), cmp.Compare(c.Type, other.Type), cmp.Compare(c.Status, other.Status),
		cmp.Compare(c.Severity, other.Severity), cmp.Compare(c.Reason, other.Reason), cmp.Compare(c.Message, other.Message))
}

// Holds reports whether a list holds an equal cause.
func Holds(list []Cause, c Cause) bool {
	return slices.ContainsFunc(list, func(other Cause) bool { return other.Compare(c) == 0 })
}

// Causes calls add with the causes of the result, in the order in which it lists them; begin is called before with their number, or a
// smaller one. It is called before Release.
func (m *Merger) Causes(begin func(n int), add func(Object, string, *metav1.Condition)) {
	if len(m.behind) == 0 {
		return
	}
	begin(len(m.behind))
	var first []Cause // the first ones, once two roads may lead to one cause
	for n, r := range m.behind {
		if len(r.Causes) == 0 || r.Stale {
			o, severity, c := r.Ref(), m.severity(r), r.counts()
			if add(o, severity, c); first != nil && len(first) < maxCompared {
				first = append(first, Cause{o, severity, c})
			}
			continue
		}
		if first == nil {
			first = make([]Cause, 0, maxCompared)
			for _, before := range m.behind[:min(n, maxCompared)] {
				first = append(first, Cause{before.Ref(), m.severity(before), before.counts()})
			}
		}
		for _, c := range r.Causes {
			if Holds(first, c) {
				continue
			}
			if add(c.Object, c.Severity, c.Condition); len(first) < maxCompared {
				first = append(first, c)
			}
		}
	}
}

// maxCompared is how many causes a further one is compared with.
const maxCompared = 100

// counts returns the condition of an item as it counts: the one that was offered, unless that is missing, stale or of another name.
func (i *Item) counts() *metav1.Condition {
	c := i.Condition
	if c != nil && !i.Stale && c.Type == i.Type && c.Status == i.Status() {
		return c
	}
	out := metav1.Condition{Type: i.Type, Status: i.Status(), Reason: i.Reason(), Message: i.Message()}
	if c != nil {
		out.ObservedGeneration, out.LastTransitionTime = c.ObservedGeneration, c.LastTransitionTime
	}
	return &out
}
