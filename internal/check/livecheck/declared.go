// SPDX-License-Identifier: Apache-2.0

package livecheck

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

// declares reports whether the kind of an object declares conditions.
func declares(o *evidence.ObjectView) bool { return o.Kind != nil && len(o.Kind.Declaration.Types) > 0 }

func undeclaredType(p *check.Pass, e entry) {
	if !declares(e.ObjectView) || e.Entry.Type == "" || e.declared() != nil || slices.Contains(e.Kind.Declaration.Retired, e.Entry.Type) {
		return
	}
	e.report(p, "type", "%s declares no condition %s", e.GroupKind.String(), e.Entry.Type)
}

func undeclaredReason(p *check.Pass, e entry) {
	t := e.declared()
	if t == nil || e.Reason == "" || len(evidence.Cells(t, e.Reason)) > 0 {
		return
	}
	written, _ := e.Kind.Cells(t)
	if slices.ContainsFunc(written, func(r conditions.Reason) bool { return r.Name == e.Reason && string(r.Status) == e.Status }) {
		return // by a pass of its own accord
	}
	c := e.Declared(e.Entry)
	switch {
	case t.Imported && c.Open == "": // from elsewhere
	case slices.Contains(c.Retired, e.Reason):
		e.report(p, "reason", "reason %s of %s is retired", e.Reason, t.Name)
	case c.Open != "":
		e.report(p, "reason", "%s of %s declares no reason %s: %s", t.Name, e.GroupKind.String(), e.Reason, c.Open).As(check.Info)
	default:
		e.report(p, "reason", "%s of %s declares no reason %s", t.Name, e.GroupKind.String(), e.Reason)
	}
}

func mismatch(p *check.Pass, e entry) {
	t := e.declared()
	if t == nil || t.Imported {
		return
	}
	found := evidence.Cells(t, e.Reason)
	if len(found) == 0 || slices.ContainsFunc(found, func(r conditions.Reason) bool { return string(r.Status) == e.Status }) {
		return
	}
	var with []string
	for _, r := range found {
		with = append(with, string(r.Status))
	}
	e.report(p, "status", "%s has status %s with reason %s, which goes with %s", t.Name, e.Status, e.Reason, strings.Join(with, " and "))
}

func missingType(p *check.Pass, o *evidence.ObjectView) {
	if !declares(o) {
		return
	}
	var missing []string
	for i := range o.Kind.Declaration.Types {
		t := &o.Kind.Declaration.Types[i]
		if t.Presence == conditions.PresenceAlways && !t.Optional && !t.Imported && o.Find(t.Name) == nil {
			missing = append(missing, t.Name)
		}
	}
	if len(missing) > 0 {
		p.Report(o.Position, o.Subject(), "%s has no %s", o.Subject(), strings.Join(missing, ", "))
	}
}

// health returns how an entry counts in a roll-up: healthy, unhealthy or unknown.
func health(t *conditions.Type, e *evidence.Entry) string {
	switch {
	case e == nil && (t.Optional || t.Presence == conditions.PresenceWhenTrue && t.Polarity == conditions.Negative):
		return "healthy"
	case e == nil, e.Status == "Unknown":
		return "unknown"
	case t.Polarity == conditions.Neutral, (e.Status == "True") == (t.Polarity != conditions.Negative):
		return "healthy"
	}
	return "unhealthy"
}

func summaryDisagrees(p *check.Pass, o *evidence.ObjectView) {
	if !declares(o) || o.Kind.At.Many() {
		return
	}
	for _, d := range o.Kind.Derivations {
		top := o.Find(d.Type.Name)
		if d.Summary == nil || top == nil || len(d.Of) == 0 {
			continue
		}
		worst, name := "healthy", ""
		for _, of := range d.Of {
			t := o.Kind.Type(of)
			if t == nil {
				continue
			}
			e := o.Find(t.Name)
			if e == nil && d.Summary.Missing == "skip" {
				continue
			}
			switch h := health(t, e); {
			case h == "unhealthy", h == "unknown" && worst == "healthy":
				worst, name = h, t.Name
			}
			if worst == "unhealthy" {
				break
			}
		}
		if got := health(o.Kind.Type(d.Type.Name), top); (got == "healthy") != (worst == "healthy") {
			text := "every type that it sums up is healthy"
			if name != "" {
				text = name + " is " + worst
			}
			entry{o, top}.report(p, "status", "%s=%s disagrees: %s", top.Type, top.Status, text)
		}
	}
}

func readyWithNegative(p *check.Pass, o *evidence.ObjectView) {
	if !declares(o) {
		return
	}
	top := o.Find(o.Kind.Summary())
	if top == nil || health(o.Kind.Type(top.Type), top) != "healthy" {
		return
	}
	for i := range o.Kind.Declaration.Types {
		t := &o.Kind.Declaration.Types[i]
		if e := o.Find(t.Name); e != nil && t.Polarity == conditions.Negative && t.Role == conditions.RoleDependent && e.Status == "True" {
			entry{o, e}.report(p, "status", "%s=%s together with %s=True (%s)", top.Type, top.Status, e.Type, e.Reason)
		}
	}
}

func readyWithLag(p *check.Pass, o *evidence.ObjectView) {
	name := "Ready"
	if declares(o) {
		name = o.Kind.Summary()
	}
	top := o.Find(name)
	if name == "" || top == nil || top.Status != "True" {
		return
	}
	if stated := cmp.Or(top.Generation, o.Stated()); stated > 0 && stated < o.Generation {
		entry{o, top}.report(p, "observedGeneration", "%s=True is about generation %d, and the object is at %d", top.Type, stated, o.Generation)
	}
}

// groups are types of which at most one is True, declared or not.
var groups = [][]string{{"Succeeded", "Failed"}, {"Complete", "Failed"}}

func exclusive(p *check.Pass, o *evidence.ObjectView) {
	exclude := groups
	if declares(o) {
		var final []string
		for i := range o.Kind.Declaration.Types {
			if t := &o.Kind.Declaration.Types[i]; t.Lifecycle == conditions.LifecycleTerminal {
				final = append(final, t.Name)
			}
		}
		exclude = append(append(slices.Clone(groups), o.Kind.Source.Spec.Exclusive...), final)
	}
	for _, group := range exclude {
		var on []string
		var last *evidence.Entry
		for _, name := range group {
			if e := o.Find(name); e != nil && e.Status == "True" {
				on, last = append(on, name), e
			}
		}
		if len(on) > 1 {
			entry{o, last}.report(p, "status", "%s are True at once", strings.Join(on, " and "))
			return
		}
	}
}

func unknownTooLong(p *check.Pass, e entry) {
	if held := p.Now.Sub(e.Time); e.Status == "Unknown" && !e.Time.IsZero() && held > e.Budget(e.Entry, p.Budget) &&
		e.Phase != evidence.Deleting {
		e.report(p, "status", "%s is Unknown for %s", e.Entry.Type, held.Round(time.Minute))
	}
}

func progressStuck(p *check.Pass, e entry) {
	t := e.declared()
	if t == nil || e.Time.IsZero() || e.Status == "Unknown" || e.Phase == evidence.Deleting {
		return
	}
	for _, r := range evidence.Cells(t, e.Reason) {
		if held := p.Now.Sub(e.Time); string(r.Status) == e.Status && r.Class == conditions.ClassProgress && held > e.Budget(e.Entry, p.Budget) {
			e.report(p, "status", "%s=%s (%s) is under way for %s", e.Entry.Type, e.Status, e.Reason, held.Round(time.Minute))
		}
	}
}

func presentWhenHealthy(p *check.Pass, o *evidence.ObjectView) {
	if !declares(o) {
		return
	}
	for i := range o.Entries {
		e := entry{o, &o.Entries[i]}
		t := e.declared()
		switch {
		case t == nil:
		case t.Presence == conditions.PresenceWhenTrue && e.Status != "True":
			e.report(p, "status", "%s=%s is listed; its presence is %s", t.Name, e.Status, t.Presence)
		}
	}
}

func deprecatedSeen(p *check.Pass, e entry) {
	if !declares(e.ObjectView) {
		return
	}
	t := e.declared()
	switch {
	case t == nil && slices.Contains(e.Kind.Declaration.Retired, e.Entry.Type):
		e.report(p, "type", "%s is retired", e.Entry.Type)
	case t == nil:
	case t.Name != e.Entry.Type:
		e.report(p, "type", "%s is a former name of %s", e.Entry.Type, t.Name)
	default:
		for _, r := range evidence.Cells(t, e.Reason) {
			if r.Name != e.Reason {
				e.report(p, "reason", "%s is a former name of %s", e.Reason, r.Name)
				return
			}
		}
	}
}
