// SPDX-License-Identifier: Apache-2.0

package livecheck

import (
	"embed"
	"fmt"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "live/status-value", Title: "a status is True, False or Unknown", Level: check.Error, Needs: evidence.Object,
		Why: "no client matches any other word", Fix: "write one of the three", Run: entries(statusValue)},
	{ID: "live/duplicate-type", Title: "a type occurs once in a list", Level: check.Error, Needs: evidence.Object,
		Why: "clients take the first or the last entry, and setters update only one", Fix: "set conditions with a helper, and key the list " +
			"by type", Run: objects(duplicate)},
	{ID: "live/undeclared-type", Title: "types are declared", Level: check.Error, Needs: evidence.Object,
		Why: "readers cannot tell whether the condition is good or bad", Fix: "declare the type, or stop writing it",
		Run: entries(undeclaredType)},
	{ID: "live/undeclared-reason", Title: "reasons are declared for their type", Level: check.Error, Needs: evidence.Object,
		Why: "alerts and people act on the reasons that are documented", Fix: "declare the reason", Run: entries(undeclaredReason)},
	{ID: "live/reason-status-mismatch", Title: "a reason goes with the status that is declared for it", Level: check.Error,
		Needs: evidence.Object,
		Why:   "the condition says two things at once", Fix: "declare the cell, or correct the writer", Run: entries(mismatch)},
	{ID: "live/reason-empty", Title: "a condition has a reason", Level: check.Warning, Needs: evidence.Object,
		Why: "metav1.Condition requires one, and a person wants to know why", Fix: "write a reason for every status", Run: entries(reasonEmpty)},
	{ID: "live/reason-format", Title: "a reason matches the upstream pattern", Level: check.Error, Needs: evidence.Object,
		Why: "an API server with the upstream schema refuses the whole status", Fix: "write one CamelCase word", Run: entries(reasonFormat)},
	{ID: "live/message-length", Title: "a message is within 32768 bytes and characters", Level: check.Error, Needs: evidence.Object,
		Why: "the API server refuses the whole status beyond the limit", Fix: "cut the message, whole entries first",
		Run: entries(messageLength)},
	{ID: "live/severity", Title: "only an unhealthy condition has a severity, one of the three", Level: check.Error, Needs: evidence.Object |
		evidence.Catalog,
		Why: "a severity is what clients rank failures by, and it has no meaning for a healthy condition",
		Fix: "set severity to Error, Warning or Info with the unhealthy status, and leave it out otherwise",
		Run: entries(severity)},
	{ID: "live/missing-type", Title: "types that are always present are in the list", Level: check.Error, Needs: evidence.Object,
		Why: "a client that waits for False waits forever", Fix: "write the type from the first pass on, or declare its presence",
		Run: settled(missingType)},
	{ID: "live/generation-missing", Title: "conditions state the generation that they were observed at", Level: check.Warning,
		Needs: evidence.Object,
		Why:   "readers cannot tell whether they are about the current spec", Fix: "set observedGeneration", Run: entries(generationMissing)},
	{ID: "live/status-generation-missing", Title: "a status states the generation that was observed, where the catalog says so",
		Level: check.Warning, Needs: evidence.Object | evidence.Catalog,
		Why: "an object without conditions is then either reconciled or has just been created, and readers cannot tell which",
		Fix: "set status.observedGeneration in each pass",
		Run: objects(statusGenerationMissing)},
	{ID: "live/generation-lag", Title: "the current generation is observed in time", Level: check.Error, Needs: evidence.Object,
		Why: "everything that the status says is about an older spec", Fix: "look whether the controller runs", Run: objects(generationLag)},
	{ID: "live/generation-ahead", Title: "no condition is ahead of its object", Level: check.Error, Needs: evidence.Object,
		Why: "a controller stamps a wrong number, or the object was restored with an old status", Fix: "stamp the generation of the object " +
			"that was reconciled",
		Run: entries(generationAhead)},
	{ID: "live/transition-future", Title: "no transition lies in the future", Level: check.Error, Needs: evidence.Object,
		Why: "durations become negative, and waits never end", Fix: "compare clocks", Run: entries(transitionFuture)},
	{ID: "live/transition-epoch", Title: "transition times are real", Level: check.Warning, Needs: evidence.Object,
		Why: "a time of 1970 is a default that was never replaced", Fix: "stamp the time when the status is written",
		Run: entries(transitionEpoch)},
	{ID: "live/transition-before-creation", Title: "no transition is older than its object", Level: check.Warning, Needs: evidence.Object,
		Why: "the time is that of another object, or of a restored one", Fix: "stamp the time of the change, or declare the type backdated",
		Run: entries(transitionBeforeCreation)},
	{ID: "live/present-when-healthy", Title: "a type that is not always present is in the list only when it applies", Level: check.Warning,
		Needs: evidence.Object,
		Why:   "clients take its presence for the answer", Fix: "remove the entry when it no longer applies, or declare another presence",
		Run: settled(presentWhenHealthy)},
	{ID: "live/summary-disagrees", Title: "a summary agrees with its types", Level: check.Error, Needs: evidence.Object,
		Why: "people and tools look at the summary only", Fix: "compute the summary in the same pass as its types",
		Run: settled(summaryDisagrees)},
	{ID: "live/ready-with-negative", Title: "no healthy summary together with a negative type that is True", Level: check.Error,
		Needs: evidence.Object,
		Why:   "the object claims to be healthy and reports that it is not", Fix: "let the type count in the summary, or declare it informational",
		Run: settled(readyWithNegative)},
	{ID: "live/ready-with-lag", Title: "no healthy summary of an older generation", Level: check.Error, Needs: evidence.Object,
		Why: "kubectl wait and pipelines go on although the new spec was not looked at", Fix: "set the summary to Unknown first, or state the " +
			"generation", Run: objects(readyWithLag)},
	{ID: "live/exclusive", Title: "types that exclude each other are not both True", Level: check.Error, Needs: evidence.Object,
		Why: "which of them counts depends on the order of the list", Fix: "remove the one that is over", Run: objects(exclusive)},
	{ID: "live/unknown-too-long", Title: "nothing stays Unknown for long", Level: check.Warning, Needs: evidence.Object,
		Why: "Unknown means that its controller is about to find out", Fix: "look at the controller that owns the type",
		Run: entries(unknownTooLong)},
	{ID: "live/progress-stuck", Title: "progress ends in time", Level: check.Warning, Needs: evidence.Object,
		Why: "work that never ends has failed without saying so", Fix: "declare a deadline with a reason of its own",
		Run: entries(progressStuck)},
	{ID: "live/deprecated-seen", Title: "no former name is in use", Level: check.Info, Needs: evidence.Object,
		Why: "a name can only be removed when no controller writes it any more", Fix: "write the new name", Run: entries(deprecatedSeen)},
})

// objects runs a function for each object that is not being deleted.
func objects(do func(*check.Pass, *evidence.ObjectView)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, o := range p.Objects {
			if o.Phase != evidence.Deleting {
				p.Subject()
				do(p, o)
			}
		}
	}
}

// settled runs a function for each object at rest.
func settled(do func(*check.Pass, *evidence.ObjectView)) func(*check.Pass) {
	return objects(func(p *check.Pass, o *evidence.ObjectView) {
		if o.Phase == evidence.Settled {
			do(p, o)
		}
	})
}

// entry is one condition of an object.
type entry struct {
	*evidence.ObjectView
	*evidence.Entry
}

// entries runs a function for each condition.
func entries(do func(*check.Pass, entry)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, o := range p.Objects {
			for i := range o.Entries {
				p.Subject()
				do(p, entry{o, &o.Entries[i]})
			}
		}
	}
}

// declared returns the declaration of the type; nil without one.
func (e entry) declared() *conditions.Type { return e.ObjectView.Type(e.Entry) }

// report adds a finding about a field of the entry.
func (e entry) report(p *check.Pass, field, format string, args ...any) *check.Finding {
	return p.Report(e.Position, e.Subject()+"/"+e.Entry.Type, e.Subject()+": "+format, args...).At(fmt.Sprintf("%s[%d].%s", e.List, e.Index,
		field))
}
