// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/relation"
)

// catalogs are the ConditionCatalog objects of the cluster.
type catalogs struct {
	controller *Controller

	mu      sync.Mutex
	objects map[string]*relation.Object
	dirty   bool
	used    string // which objects are in use, at which generation
}

// own declares the conditions that catalogs themselves have.
var own = &conditions.Kind{Group: catalogKind.Group, Kind: catalogKind.Kind, Dialect: conditions.Core, Types: []conditions.Type{{
	Name: catalog.TypeAccepted, Meaning: "The catalog is in use.", Polarity: conditions.Positive, Role: conditions.RoleSummary,
	Presence: conditions.Always, Reasons: []conditions.Reason{
		{Name: catalog.ReasonInvalid, Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError,
			Meaning: "The catalog has errors and is not used.", Remedy: "Correct what the message names."},
		{Name: catalog.ReasonConflict, Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError,
			Meaning: "Another catalog declares the same kind.", Remedy: "Declare a kind in one catalog."},
		{Name: catalog.ReasonAccepted, Status: conditions.True, Class: conditions.ClassOK, Meaning: "The catalog is in use."},
	}}}}

func (l *catalogs) put(o *seen) {
	l.mu.Lock()
	old := l.objects[o.Name]
	l.objects[o.Name] = o.Object
	changed := old == nil || old.UID != o.UID || old.Generation != o.Generation
	l.dirty = l.dirty || changed
	l.mu.Unlock()
	if changed {
		l.controller.changed()
	}
}

func (l *catalogs) remove(id relation.ID) {
	l.mu.Lock()
	delete(l.objects, id.Name)
	l.dirty = true
	l.mu.Unlock()
	l.controller.changed()
}

// join adds the objects to the catalogs of the options, by name, and writes to each object what became of it. changed is false
// where the same objects are in use as after the last call. An answer that could not be written is written by the next call.
func (l *catalogs) join(ctx context.Context, base *catalog.Set) (set *catalog.Set, changed bool) {
	l.mu.Lock()
	if !l.dirty {
		l.mu.Unlock()
		return nil, false
	}
	l.dirty = false
	objects := slices.SortedFunc(maps.Values(l.objects), func(a, b *relation.Object) int { return strings.Compare(a.Name, b.Name) })
	l.mu.Unlock()
	kinds, used := slices.Clone(base.Kinds()), ""
	set = base
	for _, o := range objects {
		reason, message := catalog.ReasonAccepted, ""
		kind, err := compile(o)
		switch {
		case err != nil:
			reason, message = catalog.ReasonInvalid, err.Error()
		case set.Kind(kind.For) != nil:
			reason = catalog.ReasonConflict
			message = kind.For.String() + " is declared by catalog " + set.Kind(kind.For).Source.Metadata.Name
		default:
			with, err := catalog.NewSet(append(slices.Clone(kinds), kind)...)
			if err != nil {
				reason, message = catalog.ReasonInvalid, err.Error()
				break
			}
			kinds, set = append(kinds, kind), with
			used += fmt.Sprintln(o.Name, o.UID, o.Generation)
		}
		if err := l.answer(ctx, o, reason, message); err != nil {
			c := l.controller
			c.log.Error("write failed", "object", o.ID, "error", err)
			l.mu.Lock()
			l.dirty = true
			l.mu.Unlock()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	changed = l.used != used
	l.used = used
	return set, changed
}

func compile(o *relation.Object) (*catalog.Kind, error) {
	source, err := catalog.FromObject(o.Content)
	if err != nil {
		return nil, err
	}
	return catalog.Compile(source)
}

// answer writes the Accepted condition of a catalog.
func (l *catalogs) answer(ctx context.Context, o *relation.Object, reason, message string) error {
	c := l.controller
	s := c.source(catalogKind)
	if s == nil {
		return nil // gone with its definition
	}
	target := apply.Target{Resource: s.served.resource, Kind: catalogKind.Kind, Path: apply.ParsePath(""), ListMap: true, Own: own}
	status, _ := o.Content["status"].(map[string]any)
	list, _ := status["conditions"].([]any)
	stored, _ := conditions.FromUnstructured(list)
	pass := own.Begin(o.Generation, stored, c.clock.Now())
	accepted := conditions.False
	if reason == catalog.ReasonAccepted {
		accepted = conditions.True
	}
	pass.Report(catalog.TypeAccepted, accepted, reason, message)
	result := pass.Commit()
	if accepted == conditions.False && result.Changed {
		c.log.Warn("catalog is not used", "catalog", o.Name, "reason", reason, "message", message)
	}
	_, err := c.writer.Apply(ctx, target, written(o), result, nil)
	return err
}
