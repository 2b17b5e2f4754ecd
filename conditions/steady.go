// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// steady reports whether the common pass is at hand, one that changes nothing over a list in declared order in which all that counts is
// healthy. Everything else is left to a [session], which has the same result:
// FuzzLawSteady holds the two together.
func (r *record) steady(out *Result) bool {
	k, rules := r.kind, r.kind.Dialect.rules()
	if r.state != nil || r.waiting != nil || len(r.facts)+len(r.errs)+len(r.gates)+len(r.causes)+len(r.steps) > 0 || !r.requeueAt.IsZero() ||
		len(k.Retired) > 0 ||
		k.Dialect == DialectKstatus || rules.AlwaysMerge {
		return false
	}
	w := steadyWalk{record: r, rules: rules, latest: r.now.Unix() + int64(maxClockSkew/time.Second)}
	if !rules.NoGenerations {
		w.generation = r.generation
	}
	n := r.size()
	for i := range k.Types {
		t := &k.Types[i]
		var c *metav1.Condition
		for ; w.next < n; w.next++ {
			one := r.at(w.next)
			if one.Type == t.Name {
				c = one
				break
			}
			if k.find(one.Type, i) >= 0 {
				break
			} // otherwise another writer's
		}
		if c == nil {
			if !w.absent(i, t) {
				return false
			}
			continue
		}
		if !w.present(i, t, c) {
			return false
		}
		w.next++
	}
	for ; w.next < n; w.next++ {
		if k.find(r.at(w.next).Type, 0) >= 0 {
			return false // twice, or in another order
		}
	}
	for _, s := range w.summaries[:w.summed] {
		if !w.summary(s.typ, s.at) {
			return false
		}
	}
	out.kind, out.generation, out.now, out.unreported = k, r.generation, r.now.Unix(), w.unreported
	return true
}

// steadyWalk is one look at the types of a kind and the stored list, side by side.
type steadyWalk struct {
	*record
	rules      *merge.Rules
	generation int64 // that conditions must have
	latest     int64 // seconds since 1970 that a condition may have changed
	next       int   // of the stored list
	healthy    int   // dependents that are
	unhealthy  bool  // one of them is not
	summaries  [4]struct{ typ, at int }
	summed     int
	unreported typeSet
}

// noTime is the second of the zero time.
var noTime = time.Time{}.Unix()

// present looks at a type that is in the list.
func (w *steadyWalk) present(i int, t *Type, old *metav1.Condition) bool {
	m := w.mark(i)
	if at := old.LastTransitionTime.Time.Unix(); m.retract || old.ObservedGeneration < 0 || at > w.latest || at == noTime {
		return false
	}
	if t.Summary != nil {
		if m.kind != noMark || w.summed == len(w.summaries) || t.Role == RoleDependent {
			return false
		}
		w.summaries[w.summed].typ, w.summaries[w.summed].at = i, w.next
		w.summed++
		return true
	}
	cell := len(t.Reasons)
	switch m.kind {
	case noMark:
		if !t.Foreign && (t.Unreported == UnreportedUnknown || t.Unreported == UnreportedFail || !present(t.Presence, old.Status, true)) {
			return false
		}
		if !t.Foreign {
			w.unreported = w.unreported.with(i)
		}
	case cellMark:
		cell = int(m.cell)
		if c := &t.Reasons[cell]; old.Message != "" || old.Status != c.Status || old.Reason != c.Name {
			return false
		}
	case storedMark:
		if cell = int(m.cell); int(m.at) != w.next {
			return false
		}
	}
	if cell < len(t.Reasons) && t.Reasons[cell].timed() {
		return false
	}
	if m.kind != noMark {
		severity := SeverityNone
		if w.rules.DefaultSeverity != "" && t.Polarity.Bad(old.Status) {
			severity = cmp.Or(t.cellSeverity(cell), Severity(w.rules.DefaultSeverity))
		}
		if old.ObservedGeneration != w.generation || w.severity(w.next) != severity || t.Presence != PresenceAlways &&
			!present(t.Presence, old.Status, true) {
			return false
		}
	}
	if t.Role == RoleDependent {
		if t.Polarity.Good(old.Status) &&
			(old.ObservedGeneration == w.generation || !w.kind.stale(old, w.record.generation)) {
			w.healthy++
		} else {
			w.unhealthy = true
		}
	}
	return true
}

// absent looks at a type that does not stand in the list.
func (w *steadyWalk) absent(i int, t *Type) bool {
	m := w.mark(i)
	switch {
	case m.retract || t.Summary != nil || t.Unreported == UnreportedFail || t.StartHealthy || len(t.Aliases) > 0:
		return false
	case m.kind == noMark && (t.Optional || t.Foreign), m.kind == noMark && t.Presence != PresenceAlways && t.Presence != "":
	case m.kind == cellMark && !t.Reasons[m.cell].timed() && t.Polarity.Good(t.Reasons[m.cell].Status) &&
		!present(t.Presence, t.Reasons[m.cell].Status, false):
	default:
		return false
	}
	if m.kind == noMark && !t.Foreign && t.Unreported != UnreportedUnknown {
		w.unreported = w.unreported.with(i)
	}
	if t.Role == RoleDependent && !t.Optional && (t.Presence != PresenceWhenTrue || t.Polarity != Negative) {
		w.unhealthy = true // missing
	}
	return true
}

// summary looks at a summary once its dependents are known.
func (w *steadyWalk) summary(i, at int) bool {
	t, old := &w.kind.Types[i], w.at(at)
	if len(t.Summary.Of) > 0 {
		return w.rule(i, t) && w.saysHealthy(t, old, at)
	}
	return !w.unhealthy && w.healthy > 0 && w.saysHealthy(t, old, at)
}

// rule reports whether all types that a summary names are there and healthy.
func (w *steadyWalk) rule(i int, t *Type) bool {
	hint, at := 0, 0
	for _, name := range t.Summary.Of {
		j := w.kind.find(name, hint)
		if j < 0 || j == i || w.kind.Types[j].Summary != nil {
			return false
		}
		hint = j + 1
		other := &w.kind.Types[j]
		found := false
		for range w.size() {
			if at >= w.size() {
				at = 0
			}
			if found = w.at(at).Type == other.Name; found {
				break
			}
			at++
		}
		if !found {
			return false
		}
		c := w.at(at)
		if !other.Polarity.Good(c.Status) || c.ObservedGeneration != w.generation {
			return false
		}
		at++
	}
	return true
}

// saysHealthy reports whether the stored summary is what healthy dependents give.
func (w *steadyWalk) saysHealthy(t *Type, old *metav1.Condition, at int) bool {
	status, reason := statusOf(weightHealthy, t.Polarity), ""
	if w.rules.Merge == nil {
		reason = fallbackReason(t, status, reasonHealthy)
	}
	if cell := t.reason(reason, status); cell >= 0 && t.Reasons[cell].timed() {
		return false
	}
	return old.Status == status && old.Reason == reason && old.Message == "" && old.ObservedGeneration == w.generation &&
		w.severity(at) == SeverityNone && present(t.Presence, status, true)
}
