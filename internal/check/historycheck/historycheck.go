// SPDX-License-Identifier: Apache-2.0

package historycheck

import (
	"embed"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "history/transition-moved", Title: "lastTransitionTime moves only with the status", Level: check.Error, Needs: evidence.History,
		Why: "readers cannot tell since when a condition holds, and every write triggers the next", Fix: "compare with the stored condition " +
			"before stamping", Run: changes(moved)},
	{ID: "history/transition-frozen", Title: "lastTransitionTime moves with the status", Level: check.Error, Needs: evidence.History,
		Why: "ages and alerts count from the wrong transition", Fix: "stamp the time when the status differs from the stored one",
		Run: changes(frozen)},
	{ID: "history/transition-regressed", Title: "lastTransitionTime never goes back", Level: check.Error, Needs: evidence.History,
		Why: "two writers stamp the condition from different states", Fix: "let one writer own the type", Run: changes(regressed)},
	{ID: "history/generation-regressed", Title: "observedGeneration never decreases", Level: check.Error, Needs: evidence.History,
		Why: "a stale writer overwrote a newer judgement", Fix: "do not write what was observed at an older generation",
		Run: changes(generationRegressed)},
	{ID: "history/spec-bump-unobserved", Title: "a new generation is observed in time", Level: check.Error, Needs: evidence.History,
		Why: "the status is about a spec that is no longer the current one", Fix: "observe the generation in the first pass over it",
		Run: timelines(unobserved)},
	{ID: "history/flapping", Title: "a type does not flap", Level: check.Warning, Needs: evidence.History,
		Why: "each flip wakes everybody who waits for the condition", Fix: "let a change last before it is published (dwell)",
		Run: timelines(flapping)},
	{ID: "history/no-op-write", Title: "a write changes something", Level: check.Warning, Needs: evidence.History,
		Why: "a write that changes nothing triggers the next reconcile", Fix: "compare before writing", Run: steps(noOp)},
	{ID: "history/order-churn", Title: "no write changes only the order of conditions", Level: check.Warning, Needs: evidence.History,
		Why: "lists that are built from maps change with every write", Fix: "keep the stored order", Run: steps(orderChurn)},
	{ID: "history/message-churn", Title: "messages change only when something happened", Level: check.Warning, Needs: evidence.History,
		Why: "counters, times and ids in messages write the object again and again", Fix: "leave them out of the message",
		Run: timelines(messageChurn)},
	{ID: "history/vanished", Title: "a type that is always present stays", Level: check.Error, Needs: evidence.History,
		Why: "clients that wait for it wait forever", Fix: "write the complete list, or use server-side apply on a list keyed by type",
		Run: steps(vanished)},
	{ID: "history/foreign-removed", Title: "conditions of other writers stay", Level: check.Error, Needs: evidence.History,
		Why: "a writer must not remove what it does not own", Fix: "patch only the own types", Run: steps(foreignRemoved)},
	{ID: "history/terminal-left", Title: "a terminal type never changes once it is True", Level: check.Error, Needs: evidence.History,
		Why: "clients stopped watching when it became True", Fix: "declare another lifecycle, or start a new object",
		Run: changes(left(conditions.LifecycleTerminal, conditions.LifecycleCompletion))},
	{ID: "history/monotonic-reversed", Title: "a monotonic type never goes back from True", Level: check.Error, Needs: evidence.History,
		Why: "clients went on to the next step when it became True", Fix: "declare another lifecycle, or report the loss in another type",
		Run: changes(left(conditions.LifecycleMonotonic))},
	{ID: "history/not-quiescent", Title: "an object at rest is not written", Level: check.Error, Needs: evidence.History,
		Why: "a controller that writes without end wears out the API server and everybody who watches", Fix: "make the second pass write nothing",
		Run: timelines(notQuiescent)},
})

// timelines runs a function for each object.
func timelines(do func(*check.Pass, *evidence.Timeline)) func(*check.Pass) {
	return func(p *check.Pass) {
		for _, t := range p.History {
			p.Subject()
			do(p, t)
		}
	}
}

// steps runs a function for each pair of observations that follow each other.
func steps(do func(p *check.Pass, before, after *evidence.ObjectView)) func(*check.Pass) {
	return timelines(func(p *check.Pass, t *evidence.Timeline) {
		for i := 1; i < len(t.Observations); i++ {
			if before, after := t.Observations[i-1], t.Observations[i]; !after.Deleted && after.Phase != evidence.Deleting {
				p.Subject()
				do(p, before, after)
			}
		}
	})
}

// change is one condition in two observations that follow each other.
type change struct {
	object        *evidence.ObjectView
	before, after *evidence.Entry
}

// changes runs a function for each condition that is in both of two observations.
func changes(do func(*check.Pass, change)) func(*check.Pass) {
	return steps(func(p *check.Pass, before, after *evidence.ObjectView) {
		for i := range after.Entries {
			e := &after.Entries[i]
			for j := range before.Entries {
				if old := &before.Entries[j]; old.Type == e.Type && old.List == e.List {
					p.Subject()
					do(p, change{after, old, e})
					break
				}
			}
		}
	})
}

func (c change) report(p *check.Pass, format string, args ...any) {
	p.Report(c.object.Position, c.object.Subject()+"/"+c.after.Type, c.object.Subject()+": "+format, args...)
}

// seen returns the time of an observation. If it has no time, it is the last change that the object shows, and zero
// without either.
func seen(o *evidence.ObjectView) time.Time {
	if !o.Observed.IsZero() {
		return o.Observed
	}
	last := o.Written(true)
	for i := range o.Entries {
		if o.Entries[i].Time.After(last) {
			last = o.Entries[i].Time
		}
	}
	return last
}
