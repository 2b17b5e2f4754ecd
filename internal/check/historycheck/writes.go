// SPDX-License-Identifier: Apache-2.0

package historycheck

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

// Limits beyond which writes are too many.
const (
	maxFlips    = 5  // of one type within the budget
	maxMessages = 10 // of one type in all
	quietWrites = 4  // after an object came to rest
)

func unobserved(p *check.Pass, t *evidence.Timeline) {
	last := t.Observations[len(t.Observations)-1]
	end := seen(last)
	for i := 1; i < len(t.Observations); i++ {
		o := t.Observations[i]
		since := seen(o)
		if o.Generation <= t.Observations[i-1].Generation || since.IsZero() || end.Sub(since) <= p.Budget {
			continue
		}
		if !slices.ContainsFunc(t.Observations[i:], func(later *evidence.ObjectView) bool {
			return (later.Deleted || states(later, o.Generation)) && seen(later).Sub(since) <= p.Budget
		}) {
			p.Report(o.Position, o.Subject(), "%s: generation %d was not observed within %s", o.Subject(), o.Generation, p.Budget)
			return
		}
	}
}

// states reports whether the status is about a generation or a later one.
func states(o *evidence.ObjectView, generation int64) bool {
	return o.Stated() >= generation || slices.ContainsFunc(o.Entries, func(e evidence.Entry) bool { return e.Generation >= generation })
}

func flapping(p *check.Pass, t *evidence.Timeline) {
	flips := map[string][]time.Time{}
	reported := map[string]bool{}
	status := map[string]string{}
	for _, o := range t.Observations {
		for i := range o.Entries {
			e := &o.Entries[i]
			old, known := status[e.Type]
			status[e.Type] = e.Status
			if !known || old == e.Status {
				continue
			}
			at := seen(o)
			recent := slices.DeleteFunc(flips[e.Type], func(past time.Time) bool { return at.Sub(past) > p.Budget })
			flips[e.Type] = append(recent, at)
			if n := len(flips[e.Type]); n > maxFlips && !reported[e.Type] {
				reported[e.Type] = true
				p.Report(o.Position, o.Subject()+"/"+e.Type, "%s: %s changed %d times within %s", o.Subject(), e.Type, n, p.Budget)
			}
		}
	}
}

func messageChurn(p *check.Pass, t *evidence.Timeline) {
	count := map[string]int{}
	last := map[string]evidence.Entry{}
	for _, o := range t.Observations {
		for _, e := range o.Entries {
			old, known := last[e.Type]
			last[e.Type] = e
			if !known || old.Message == e.Message || old.Status != e.Status || old.Reason != e.Reason || old.Generation != e.Generation {
				continue
			}
			if count[e.Type]++; count[e.Type] == maxMessages+1 {
				p.Report(o.Position, o.Subject()+"/"+e.Type, "%s: only the message of %s changed, more than %d times", o.Subject(), e.Type, maxMessages)
			}
		}
	}
}

func noOp(p *check.Pass, before, after *evidence.ObjectView) {
	if before.ResourceVersion != after.ResourceVersion && reflect.DeepEqual(content(before), content(after)) {
		p.Report(after.Position, after.Subject(), "%s: the write of version %s changed nothing", after.Subject(), after.ResourceVersion)
	}
}

// content returns an object without the fields that every write changes.
func content(o *evidence.ObjectView) map[string]any {
	content := maps.Clone(o.Content)
	metadata, _ := content["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, field := range []string{"resourceVersion", "managedFields"} {
		delete(metadata, field)
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		annotations = maps.Clone(annotations)
		delete(annotations, "tristate.dev/observed-at")
		if metadata["annotations"] = annotations; len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	content["metadata"] = metadata
	return content
}

func orderChurn(p *check.Pass, before, after *evidence.ObjectView) {
	if len(before.Entries) != len(after.Entries) || slices.EqualFunc(before.Entries, after.Entries, same) {
		return
	}
	for _, e := range after.Entries {
		if !slices.ContainsFunc(before.Entries, func(old evidence.Entry) bool { return same(old, e) }) {
			return
		}
	}
	p.Report(after.Position, after.Subject(), "%s: the same conditions are in another order", after.Subject())
}

func same(a, b evidence.Entry) bool {
	a.Index, b.Index = 0, 0
	return a == b
}

func vanished(p *check.Pass, before, after *evidence.ObjectView) {
	if after.Kind == nil {
		return
	}
	for i := range before.Entries {
		t := after.Kind.Type(before.Entries[i].Type)
		if t == nil || after.Find(t.Name) != nil || before.UID != after.UID || t.Imported {
			continue
		}
		if t.Presence == conditions.PresenceAlways || t.Presence == conditions.PresenceOnceTrue {
			p.Report(after.Position, after.Subject()+"/"+t.Name, "%s: %s was removed from the list; its presence is %s", after.Subject(), t.Name,
				t.Presence)
		}
	}
}

// foreignRemoved reports types that the catalog does not declare and that are gone after a write that changed a declared one.
func foreignRemoved(p *check.Pass, before, after *evidence.ObjectView) {
	if after.Kind == nil || len(after.Kind.Declaration.Types) == 0 || before.UID != after.UID {
		return
	}
	var gone []string
	for i := range before.Entries {
		e := &before.Entries[i]
		if t := after.Kind.Type(e.Type); (t == nil || t.Foreign) && !slices.Contains(after.Kind.Declaration.Retired, e.Type) &&
			!slices.ContainsFunc(after.Entries, func(now evidence.Entry) bool { return now.Type == e.Type }) {
			gone = append(gone, e.Type)
		}
	}
	touched := slices.ContainsFunc(after.Entries, func(e evidence.Entry) bool {
		t := after.Kind.Type(e.Type)
		return t != nil && !t.Foreign && !slices.ContainsFunc(before.Entries, func(old evidence.Entry) bool { return same(old, e) })
	})
	if len(gone) > 0 && touched {
		p.Report(after.Position, after.Subject(), "%s: a write of declared conditions removed %s", after.Subject(), strings.Join(gone, ", "))
	}
}

// notQuiescent counts the writes of an object that has been at rest, at one generation, for the whole budget.
func notQuiescent(p *check.Pass, t *evidence.Timeline) {
	var since time.Time
	writes := 0
	var generation int64 = -1
	for i, o := range t.Observations {
		at := seen(o)
		if o.Generation != generation || o.Phase != evidence.Settled || at.IsZero() {
			generation, since, writes = o.Generation, at, 0
			continue
		}
		if at.Sub(since) > p.Budget && i > 0 && o.ResourceVersion != t.Observations[i-1].ResourceVersion {
			if writes++; writes == quietWrites {
				p.Report(o.Position, o.Subject(), "%s is at rest since %s and was written %d times after another %s", o.Subject(),
					since.Format(time.RFC3339), writes, p.Budget)
			}
		}
	}
}
