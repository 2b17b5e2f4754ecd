// SPDX-License-Identifier: Apache-2.0

// Package capiv1beta2 has the rules of Cluster API's v1beta2 conditions (sigs.k8s.io/cluster-api/util/conditions, proposal 20240916): any
// issue makes the result unhealthy, else any Unknown makes it Unknown; the message lists issues, unknowns and infos line by line.
//
// Healthy conditions are listed where the result is True. Of a repeated type the older condition comes first. With [merge.Merge].Exact
// messages have any length, a mirror keeps its time, the order of the inputs decides between equal times, and a text has the weight that an
// object of another kind gave it.
package capiv1beta2

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// Rules are those of the library.
var Rules = merge.Rules{
	Merge: summarize, Mirror: mirror, Compare: compareTypes, ReadHealthy: true, ReadReasons: true, AlwaysMerge: true,
	Lists: []string{"status.v1beta2.conditions"}, NoReason: "NoReasonReported",
}

// The reasons of a merge. The target may declare others.
const (
	reasonIssues         = "IssuesReported"
	reasonUnknowns       = "UnknownReported"
	reasonInfos          = "InfoReported"
	reasonNotYetReported = "NotYetReported"
)

func summarize(m *merge.Merge) (merge.Result, bool) {
	if len(m.Items)+m.Counted == 0 {
		return merge.Result{}, false
	}
	sort(m)
	worst := m.Worst()
	stock := [...]string{merge.Unhealthy: reasonIssues, merge.Unknown: reasonUnknowns, merge.Healthy: reasonInfos}
	out := merge.Result{Weight: worst, Reason: cmp.Or(m.Reasons[worst], stock[worst]), Ordered: true}
	l := lines{b: m.Buffer[:0], ends: m.Ends[:0]}
	if m.Grouped {
		l.aggregate(m)
	} else {
		l.summary(m.Items, (worst == merge.Healthy) != m.Negative && worst != merge.Unknown)
	}
	m.Buffer, m.Ends = l.b, l.ends
	out.Message = l.text(m.Exact, m.Stored)
	return out, true
}

// sort sorts a summary by the declared order of the types, and everything by transition time, conditions that were never reported first. Of
// equal times the library keeps the order of the inputs; a result that is not exact does not depend on it.
func sort(m *merge.Merge) {
	if !m.Grouped {
		for n, i := range m.Items { // a repeated type has the place of its first entry
			for _, first := range m.Items[:n] {
				if first.Type == i.Type {
					i.Index = first.Index
					break
				}
			}
		}
	}
	slices.SortStableFunc(m.Items, func(a, b *merge.Item) int {
		if !m.Grouped && a.Index != b.Index {
			return cmp.Compare(a.Index, b.Index)
		}
		if c := merge.OldestFirst(a, b); c != 0 || m.Exact {
			return c
		}
		return merge.CompareContent(a, b)
	})
}

// mirror copies status, reason and message. A missing condition is Unknown.
func mirror(m *merge.Merge, i *merge.Item) (c metav1.Condition, severity string, ok bool) {
	c.Status, c.Reason, c.Message = "Unknown", reason(i), message(i, true)
	if i.Weight != merge.Unknown {
		c.Status = i.Condition.Status
	}
	switch {
	case m.Exact && i.Condition != nil: // with its time, whatever it says
		c.Status, c.LastTransitionTime = i.Condition.Status, i.Condition.LastTransitionTime
	case !m.Exact:
		c.Message = merge.Cut(c.Message, merge.MaxMessage)
		if !i.Neutral && i.Negative != m.Negative {
			c.Status = merge.Opposite(c.Status)
		}
	}
	return c, "", true
}

func reason(i *merge.Item) string {
	if i.Missing() {
		return reasonNotYetReported
	}
	return i.Reason()
}

// message is the text for an item; named says that the reader does not see the type.
func message(i *merge.Item, named bool) string {
	switch {
	case !i.Missing():
		return i.Message()
	case named:
		return "Condition " + i.Type + " not yet reported"
	}
	return "Condition not yet reported"
}
