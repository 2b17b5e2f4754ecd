// SPDX-License-Identifier: Apache-2.0

// Package capiv1beta1 has the rules of Cluster API's v1beta1 conditions (util/conditions/deprecated/v1beta1, proposal 20200506): severity
// groups and a step counter.
//
// Conditions fall into groups of equal status (turned to positive polarity) and severity; the best ranked group decides. True is bare. With
// [merge.Merge].Exact the library's rank of True over Unknown holds, and conditions count as they are.
package capiv1beta1

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// Rules are the merge rules of the library.
var Rules = merge.Rules{
	Merge: summarize, Decides: decides, Mirror: mirror,
	SkipMissing: true, EmptyIsAbsent: true, NoGenerations: true, BareHealthy: true,
	DefaultSeverity: severityError, Severities: []string{severityError, severityWarning, severityInfo},
	Limits: &limits,
}

var limits = merge.Limits{Type: 256, Reason: 256, Message: 10240}

const (
	severityError   = "Error"
	severityWarning = "Warning"
	severityInfo    = "Info"
)

func summarize(m *merge.Merge) (merge.Result, bool) {
	if !m.Reported {
		return merge.Result{}, false
	}
	var top *merge.Item
	completed := m.Counted
	for _, i := range m.Items {
		if i.Weight == merge.Healthy && severity(i, m.Exact) == "" {
			completed++
		}
		if top == nil || decides(m, i, top) {
			top = i
		}
	}
	out := merge.Result{Weight: merge.Healthy}
	if top == nil || status(top, m.Exact) == metav1.ConditionTrue {
		return out, true
	}
	out.Weight = merge.Unknown
	if status(top, m.Exact) == metav1.ConditionFalse {
		out.Weight, out.Severity = merge.Unhealthy, severity(top, m.Exact)
	}
	out.Reason, out.Message = reason(m, top), top.Message()
	if m.Counter {
		m.Buffer = merge.AppendCounter(m.Buffer[:0], completed, cmp.Or(m.Total, m.Offered))
		out.Message = m.Text()
	} else if !m.Exact {
		out.Message = merge.Cut(out.Message, limits.Message)
	}
	return out, true
}

// decides reports whether a decides rather than b. Within the deciding group a summary takes the first in declared order, an aggregate the
// first by type and name.
func decides(m *merge.Merge, a, b *merge.Item) bool {
	if x, y := rank(a, m.Exact), rank(b, m.Exact); x != y {
		return x < y
	}
	if x, y := severity(a, m.Exact), severity(b, m.Exact); x != y {
		return x < y
	}
	switch {
	case !m.Grouped && a.Index != b.Index:
		return a.Index < b.Index
	case m.Grouped && a.Type != b.Type:
		return a.Type < b.Type
	case m.Grouped && a.Name != b.Name:
		return a.Name < b.Name
	}
	return merge.CompareContent(a, b) < 0
}

// status returns the status that counts, turned to positive polarity. An exact merge uses the condition's own status,
// whatever it is.
func status(i *merge.Item, exact bool) metav1.ConditionStatus {
	if i.Condition == nil || i.Weight == merge.Unknown && !exact {
		return metav1.ConditionUnknown
	}
	if i.Negative {
		return merge.Opposite(i.Condition.Status)
	}
	return i.Condition.Status
}

// severity returns the severity of an unhealthy item: Error unless its writer chose a lower one. An exact merge uses
// the condition's own severity.
func severity(i *merge.Item, exact bool) string {
	switch {
	case exact && i.Condition != nil:
		return i.Severity
	case i.Weight != merge.Unhealthy:
		return ""
	}
	if s := cmp.Or(i.Severity, i.Declared); s == severityWarning || s == severityInfo {
		return s
	}
	return severityError
}

// rank returns the rank of the item's group; the smallest rank decides.
func rank(i *merge.Item, exact bool) int {
	const unknown, last = 4, 99
	switch status(i, exact) {
	case metav1.ConditionFalse:
		switch severity(i, exact) {
		case severityError:
			return 0
		case severityWarning:
			return 1
		case severityInfo:
			return 2
		}
	case metav1.ConditionTrue:
		if exact {
			return unknown - 1
		}
		return unknown + 1
	case metav1.ConditionUnknown:
		return unknown
	}
	return last
}

// reason returns the reason of the item; with a source reference it is "Reason @ Kind/name". A reason that already
// has a reference keeps it.
func reason(m *merge.Merge, i *merge.Item) string {
	if !m.SourceRef || strings.Contains(i.Reason(), "@") {
		return i.Reason()
	}
	ref := i.Ref()
	if ref == (merge.Object{}) {
		ref = m.Object
	}
	return i.Reason() + " @ " + ref.Kind + "/" + ref.Name
}

// mirror copies status, severity, reason and message. A missing condition has no mirror.
func mirror(m *merge.Merge, i *merge.Item) (c metav1.Condition, level string, ok bool) {
	if i.Condition == nil {
		return c, "", false
	}
	if m.Exact {
		return *i.Condition, i.Severity, true
	}
	c.Status, c.Reason, c.Message = status(i, false), i.Reason(), merge.Cut(i.Message(), limits.Message)
	if !i.Neutral {
		level = severity(i, false)
		if m.Negative {
			c.Status = merge.Opposite(c.Status)
		}
	}
	if i.Weight != merge.Healthy {
		c.Reason = reason(m, i)
	}
	return c, level, true
}
