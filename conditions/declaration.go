// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// Validate returns all faults of a declaration that a program wrote, in declared order, or nil. A declaration from a
// catalog was checked with the catalog. A pass also works with a faulty declaration, and reports the faults that it
// meets.
func (k *Kind) Validate() []error {
	v := &declarationErrors{kind: k, names: map[string]string{}}
	v.oneOf("dialect", k.Dialect, dialects...)
	for i := range k.Types {
		v.types(&k.Types[i])
	}
	for _, name := range k.Retired {
		v.name("retired type", name, "the retired types")
	}
	for i := range k.Types {
		v.summary(i)
	}
	return v.errs
}

type declarationErrors struct {
	kind  *Kind
	names map[string]string // name or alias to whose it is
	errs  []error
}

func (v *declarationErrors) fail(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s: "+format, append([]any{v.kind.Kind}, args...)...))
}

// oneOf takes any string type.
func (v *declarationErrors) oneOf(what string, got any, allowed ...any) {
	text := fmt.Sprint(got)
	for _, one := range allowed {
		if fmt.Sprint(one) == text {
			return
		}
	}
	v.fail("%s is %q", what, text)
}

func (v *declarationErrors) name(what, name, of string) {
	accepted := merge.ValidType(name)
	if limits := v.kind.Dialect.rules().Limits; limits != nil {
		accepted = name != "" && len(name) <= limits.Type
	}
	if !accepted {
		v.fail("%s %.80q: the API server refuses the name", what, name)
	}
	if other, known := v.names[name]; known {
		v.fail("%s %q is declared already, for %s", what, name, other)
	}
	v.names[name] = of
}

func (v *declarationErrors) types(t *Type) {
	v.name("condition", t.Name, t.Name)
	for _, alias := range t.Aliases {
		v.name("alias", alias, t.Name)
	}
	at := "condition " + t.Name + ": "
	v.oneOf(at+"polarity", t.Polarity, "", Positive, Negative, Neutral)
	v.oneOf(at+"role", t.Role, "", RoleSummary, RoleDependent, RoleInformational)
	v.oneOf(at+"presence", t.Presence, "", PresenceAlways, PresenceWhenTrue, PresenceWhenKnown, PresenceOnceTrue)
	v.oneOf(at+"policy for what was not reached", t.Unreported, "", UnreportedKeep, UnreportedUnknown, UnreportedFail)
	v.oneOf(at+"lifecycle", t.Lifecycle, "", lifecycleLevel, LifecycleMonotonic, LifecycleTerminal, LifecycleCompletion, lifecyclePerRun)
	if t.GoBadAfter < 0 || t.RecoverAfter < 0 {
		v.fail("%sdwell is negative", at)
	}
	seen := map[string]bool{}
	for i := range t.Reasons {
		r := &t.Reasons[i]
		bare := r.Name == "" && v.kind.Dialect.rules().BareHealthy && t.Polarity.Good(r.Status)
		if !bare && !merge.ValidReason(r.Name) {
			v.fail("%sreason %.80q: the API server refuses it", at, r.Name)
		}
		if !merge.ValidStatus(r.Status) {
			v.fail("%sreason %s: status %q is not True, False or Unknown", at, r.Name, r.Status)
		}
		v.oneOf(at+"reason "+r.Name+": class", r.Class, "", ClassOK, ClassProgress, ClassTransient, ClassTerminal, ClassSuspended)
		if r.Deadline != nil {
			v.oneOf(at+"reason "+r.Name+": deadline since", r.Deadline.Since, "", SinceCell, SinceGeneration, SinceProgress)
		}
		for _, err := range t.WaitErrors(i, v.kind.StatusWaits) {
			v.fail("%sreason %s: %v", at, r.Name, err)
		}
		v.oneOf(at+"reason "+r.Name+": severity", r.Severity, SeverityNone, SeverityError, SeverityWarning, SeverityInfo)
		for _, name := range append([]string{r.Name}, r.Aliases...) {
			if cell := string(r.Status) + " " + name; seen[cell] {
				v.fail("%sreason %s is declared twice for %s", at, name, r.Status)
			} else {
				seen[cell] = true
			}
		}
	}
}

// WaitErrors returns the faults in the hold and the deadline of the reason at the position, each after the name of
// its key. stored says that the beginnings of waits are stored with the object; otherwise a deadline must begin at
// the last transition.
func (t *Type) WaitErrors(at int, stored bool) []error {
	return append(t.holdErrors(at, stored), t.deadlineErrors(at, stored)...)
}

func (t *Type) holdErrors(at int, stored bool) []error {
	r := &t.Reasons[at]
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf("hold: "+format, args...)) }
	switch {
	case r.Hold < 0:
		fail("%s is no time to wait", r.Hold)
	case r.Hold == 0:
		return nil
	case !stored:
		fail("when %s was reported first is stored nowhere: it needs status.waits", r.Name)
	}
	for i := range t.Reasons {
		switch other := &t.Reasons[i]; {
		case other.Deadline != nil:
			fail("%s has a deadline, and a type has one or the other", other.Name)
		case i < at && other.Hold > 0 && other.Status == r.Status:
			fail("%s of the same status has a hold", other.Name)
		}
	}
	return errs
}

func (t *Type) deadlineErrors(at int, stored bool) []error {
	r := &t.Reasons[at]
	d := r.Deadline
	if d == nil {
		return nil
	}
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf("deadline: "+format, args...)) }
	switch {
	case d.After < 0:
		fail("%s is no time to wait", d.After)
	case d.After == 0 && !stored:
		fail("a time that the controller sets is stored nowhere: it needs status.waits")
	}
	next := t.follows(d.Then, r.Status)
	switch {
	case d.Then != "" && (next < 0 || t.Reasons[next].Name == r.Name):
		fail("%s cannot follow: it is not another declared reason of the type", d.Then)
	case next >= 0 && t.Reasons[next].Deadline != nil:
		fail("%s cannot follow: it has a deadline itself", d.Then)
	}
	if stored {
		return errs
	}
	if d.Since == SinceGeneration || d.Since == SinceProgress {
		fail("the beginning since %s is stored nowhere: it needs status.waits", d.Since)
	}
	if !present(t.Presence, r.Status, false) || next >= 0 && !present(t.Presence, t.Reasons[next].Status, false) {
		fail("the condition is absent at times, so that no transition tells when %s began: it needs status.waits", r.Name)
	}
	for i := range t.Reasons {
		if other := &t.Reasons[i]; other.Status == r.Status && other.Name != r.Name && !other.named(d.Then) {
			fail("%s has the same status, so that the last transition does not tell when %s began: it needs status.waits", other.Name, r.Name)
			break
		}
	}
	return errs
}

// summary checks the types that a summary names, and that it does not depend on itself.
func (v *declarationErrors) summary(i int) {
	t := &v.kind.Types[i]
	if t.Summary == nil {
		return
	}
	if !v.kind.Dialect.Derives() {
		v.fail("condition %s: dialect %s is for reading and derives no summary", t.Name, v.kind.Dialect)
	}
	v.oneOf("condition "+t.Name+": missing", t.Summary.Missing, "", merge.MissingSkip, merge.MissingUnknown)
	for at, name := range t.Summary.Of {
		switch j := v.kind.find(name, 0); {
		case j < 0:
			v.fail("condition %s: the summary names %q, which is not declared", t.Name, name)
		case v.kind.Types[j].Polarity == Neutral:
			v.fail("condition %s: the summary names %s, which is neutral and never counts", t.Name, name)
		case slices.Contains(t.Summary.Of[:at], name):
			v.fail("condition %s: the summary names %s twice", t.Name, name)
		}
	}
	for _, name := range t.Summary.CounterOnly {
		if v.kind.find(name, 0) < 0 {
			v.fail("condition %s: the steps name %q, which is not declared", t.Name, name)
		}
	}
	if path := v.cycle(i, i, map[int]bool{}); path != nil {
		v.fail("condition %s: the summary comes back to itself: %s", t.Name, strings.Join(path, " -> "))
	}
}

// cycle looks for a way from a summary to a type, by way of summaries that were not looked at before.
func (v *declarationErrors) cycle(from, to int, seen map[int]bool) []string {
	t := &v.kind.Types[from]
	if t.Summary == nil || seen[from] {
		return nil
	}
	seen[from] = true
	for j := range v.kind.Types {
		listed := slices.ContainsFunc(t.Summary.Of, func(name string) bool { return v.kind.find(name, 0) == j })
		if !listed && (len(t.Summary.Of) > 0 || !v.kind.sums(from, j)) {
			continue
		}
		if j == to {
			return []string{t.Name, v.kind.Types[to].Name}
		}
		if rest := v.cycle(j, to, seen); rest != nil {
			return append([]string{t.Name}, rest...)
		}
	}
	return nil
}
