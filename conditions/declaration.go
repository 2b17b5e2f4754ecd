// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"slices"
	"strings"
)

// Validate returns the faults of a declaration that a program wrote, all of them in declared order, or nil. One that comes from
// a catalog was checked with it. A pass works with a wrong one, too, and reports the faults that it meets.
func (k *Kind) Validate() []error {
	v := &declarationErrors{kind: k, names: map[string]string{}}
	v.oneOf("dialect", k.Dialect, dialects...)
	for i := range k.Types {
		v.types(&k.Types[i])
	}
	for _, name := range k.Retired {
		v.name("retired type", name, "the retired types")
	}
	if c := k.Churn; c != nil && (c.Writes < 1 || c.Window <= 0) {
		v.fail("churn: %d writes within %s: want at least one, and a time", c.Writes, c.Window)
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
	valid := ValidType(name)
	if limits := v.kind.Dialect.rules().Limits; limits != nil {
		valid = name != "" && len(name) <= limits.Type
	}
	if !valid {
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
	v.oneOf(at+"presence", t.Presence, "", Always, WhenTrue, WhenKnown, OnceTrue)
	v.oneOf(at+"policy for what was not reached", t.NotReached, "", NotReachedKeep, NotReachedUnknown, NotReachedFail)
	v.oneOf(at+"lifecycle", t.Lifecycle, "", lifecycleLevel, LifecycleMonotonic, LifecycleTerminal, LifecycleCompletion, lifecyclePerRun)
	for _, part := range t.Volatile {
		v.oneOf(at+"volatile part", part, VolatileIDs, VolatileTimes, VolatileDurations, VolatileNumbers, VolatileAddresses, VolatileOrder)
	}
	if t.GoBadAfter < 0 || t.RecoverAfter < 0 {
		v.fail("%sdwell is negative", at)
	}
	seen := map[string]bool{}
	for i := range t.Reasons {
		r := &t.Reasons[i]
		bare := r.Name == "" && v.kind.Dialect.rules().BareHealthy && fine(r.Status, t.Polarity)
		if !bare && !ValidReason(r.Name) {
			v.fail("%sreason %.80q: the API server refuses it", at, r.Name)
		}
		if !ValidStatus(r.Status) {
			v.fail("%sreason %s: status %q is not True, False or Unknown", at, r.Name, r.Status)
		}
		v.oneOf(at+"reason "+r.Name+": class", r.Class, "", ClassOK, ClassProgress, ClassTransient, ClassTerminal, ClassSuspended)
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

// summary checks the types that a summary names, and that it does not depend on itself.
func (v *declarationErrors) summary(i int) {
	t := &v.kind.Types[i]
	if t.Summary == nil {
		return
	}
	v.oneOf("condition "+t.Name+": missing", t.Summary.Missing, "", MissingSkip, MissingUnknown)
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
