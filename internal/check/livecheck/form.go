// SPDX-License-Identifier: Apache-2.0

package livecheck

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

func statusValue(p *check.Pass, e entry) {
	switch {
	case e.Shape != "":
		e.report(p, "status", "%s", e.Shape)
	case !wire.ValidStatus(conditions.Status(e.Status)):
		e.report(p, "status", "the status of %s is %q", e.Entry.Type, e.Status)
	}
}

func duplicate(p *check.Pass, o *evidence.ObjectView) {
	type name struct{ list, of string }
	seen := map[name]bool{}
	for i := range o.Entries {
		e := &o.Entries[i]
		at := name{e.List, e.Type}
		if e.Type != "" && seen[at] {
			entry{o, e}.report(p, "type", "%s occurs twice in %s", e.Type, e.List)
		}
		seen[at] = true
	}
}

// bare reports whether the dialect allows a healthy condition without a reason. Without a catalog, Reconciling and Stalled are kstatus's.
func bare(e entry) bool {
	if e.Status == "False" && (e.Entry.Type == conditions.TypeReconciling || e.Entry.Type == conditions.TypeStalled) &&
		(e.Kind == nil || e.Kind.Dialect == conditions.DialectKstatus) {
		return true // as in the example of its document
	}
	return e.Kind != nil && (e.Kind.Dialect == conditions.DialectCAPIv1beta1 || e.Kind.Dialect == conditions.DialectKnative) && e.Status == "True"
}

func reasonEmpty(p *check.Pass, e entry) {
	if e.Reason == "" && e.Shape == "" && !bare(e) {
		e.report(p, "reason", "%s=%s has no reason", e.Entry.Type, e.Status)
	}
}

func reasonFormat(p *check.Pass, e entry) {
	if e.Reason != "" && !wire.ValidReason(e.Reason) {
		e.report(p, "reason", "%.80q is not a reason", e.Reason)
	}
}

// severity holds the severities of dialect capi-v1beta1 to its document: with the unhealthy status of the type's polarity only, and one of
// three words.
func severity(p *check.Pass, e entry) {
	t := e.declared()
	if e.Severity == "" || e.Kind == nil || e.Kind.Dialect != conditions.DialectCAPIv1beta1 {
		return
	}
	switch conditions.Severity(e.Severity) {
	case conditions.SeverityError, conditions.SeverityWarning, conditions.SeverityInfo:
	default:
		e.report(p, "severity", "%s has severity %.40q, which is not Error, Warning or Info", e.Entry.Type, e.Severity)
	}
	if t != nil && !t.Polarity.Bad(conditions.Status(e.Status)) {
		e.report(p, "severity", "%s=%s is not unhealthy, and has severity %.40s", e.Entry.Type, e.Status, e.Severity)
	}
}

func messageLength(p *check.Pass, e entry) {
	if len(e.Message) <= wire.MaxMessageBytes*9/10 {
		return
	}
	count := utf8.RuneCountInString(e.Message)
	f := e.report(p, "message", "the message of %s has %d bytes and %d characters", e.Entry.Type, len(e.Message), count)
	switch {
	case count > wire.MaxMessageBytes:
	case len(e.Message) > wire.MaxMessageBytes:
		f.As(check.Warning) // the schema counts characters, Go validation bytes
	default:
		f.As(check.Info)
	}
}

func generationMissing(p *check.Pass, e entry) {
	in := ""
	switch {
	case e.Kind != nil:
		in = e.Kind.Source.Spec.ObservedGeneration
	case e.ObjectView.Stated() > 0: // without a catalog either place will do
		in = "status"
	}
	if e.HasGeneration && e.Entry.Generation > 0 || e.ObjectView.Generation == 0 || e.Kind != nil && !e.Kind.Dialect.Generations() ||
		in == "status" || in == "none" {
		return
	}
	e.report(p, "observedGeneration", "%s does not say which generation it was observed at", e.Entry.Type)
}

// statusGenerationMissing reports an object whose kind records the observed generation in its status, and which has a status without it.
func statusGenerationMissing(p *check.Pass, o *evidence.ObjectView) {
	if _, reported := o.Content["status"].(map[string]any); reported && o.Kind != nil && o.Kind.Source.Spec.InStatus() && o.Generation > 0 &&
		o.Stated() == 0 {
		p.Report(o.Position, o.Subject(), "the status does not say which generation was observed")
	}
}

func generationAhead(p *check.Pass, e entry) {
	if g := e.ObjectView.Generation; g > 0 && e.Entry.Generation > g {
		e.report(p, "observedGeneration", "%s was observed at generation %d, and the object is at %d", e.Entry.Type, e.Entry.Generation, g)
	}
}

func transitionFuture(p *check.Pass, e entry) {
	if e.Time.After(p.Now.Add(p.Skew)) {
		e.report(p, "lastTransitionTime", "%s changed at %s, which is in the future", e.Entry.Type, e.RawTime)
	}
}

func transitionBeforeCreation(p *check.Pass, e entry) {
	if e.Time.IsZero() || e.Time.Year() <= 1970 || e.Created.IsZero() {
		return
	}
	if e.Time.Before(e.Created.Add(-p.Skew)) {
		e.report(p, "lastTransitionTime", "%s changed at %s, before the object was created at %s", e.Entry.Type, e.RawTime,
			e.Created.Format(time.RFC3339))
	}
}

func transitionEpoch(p *check.Pass, e entry) {
	if !e.Time.IsZero() && e.Time.Year() <= 1970 || e.RawTime != "" && e.Time.Equal(time.Time{}) {
		e.report(p, "lastTransitionTime", "the last transition of %s is %q", e.Entry.Type, e.RawTime)
	}
}

// lagging returns the oldest generation that the status states, if it is behind the object's.
func lagging(o *evidence.ObjectView) (oldest int64, where string, lags bool) {
	note := func(g int64, at string) {
		if g > 0 && g < o.Generation && (!lags || g < oldest) {
			oldest, where, lags = g, at, true
		}
	}
	note(o.Stated(), "status")
	for i := range o.Entries {
		e := &o.Entries[i]
		if t := o.Type(e); t != nil && slices.Contains([]conditions.Lifecycle{conditions.LifecycleTerminal, conditions.LifecycleCompletion},
			t.Lifecycle) {
			continue // it cannot change any more
		}
		note(e.Generation, e.Type)
	}
	return oldest, where, lags
}

func generationLag(p *check.Pass, o *evidence.ObjectView) {
	oldest, where, lags := lagging(o)
	since := o.Written(false)
	if !lags || !since.IsZero() && p.Now.Sub(since) <= p.Budget {
		return
	}
	f := p.Report(o.Position, o.Subject(), "%s: %s was observed at generation %d, and the object is at %d", o.Subject(), where, oldest,
		o.Generation)
	if since.IsZero() {
		f.As(check.Warning) // the time of the change is not known
	}
}
