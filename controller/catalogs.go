// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/internal/declare/nested"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// catalogs are the ConditionCatalog objects of the cluster.
type catalogs struct {
	controller *Controller

	mu      sync.Mutex
	objects map[string]*relation.Object
	dirty   bool
	used    string // which objects are in use, at which generation
	read    map[string]compiled
	good    map[string]compiled // the last one of each object that was in use
}

// compiled is the result of compiling a generation of a catalog.
type compiled struct {
	uid        string
	generation int64
	kind       *catalog.Kind
	err        error
	spec       any // that was compiled
}

// own declares the conditions that catalogs themselves have.
var own = &conditions.Kind{Group: catalogKind.Group, Kind: catalogKind.Kind, Dialect: conditions.DialectCore, Types: []conditions.Type{{
	Name: catalog.TypeAccepted, Meaning: "The catalog is in use.", Polarity: conditions.Positive, Role: conditions.RoleSummary,
	Presence: conditions.PresenceAlways, Reasons: []conditions.Reason{
		{Name: catalog.ReasonInvalid, Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError,
			Meaning: "This generation of the catalog has errors and is not used; the last good one stays in force.",
			Remedy:  "Correct what the message names."},
		{Name: catalog.ReasonConflict, Status: conditions.False, Class: conditions.ClassTerminal, Severity: conditions.SeverityError,
			Meaning: "Another catalog declares the same kind.", Remedy: "Declare a kind in one catalog."},
		{Name: catalog.ReasonAccepted, Status: conditions.True, Class: conditions.ClassOK, Meaning: "The catalog is in use."},
	}}}}

func (l *catalogs) Put(o *watchset.Seen) {
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

func (l *catalogs) Known(schema.GroupKind) []relation.ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]relation.ID, 0, len(l.objects))
	for _, o := range l.objects {
		out = append(out, o.ID)
	}
	return out
}

func (l *catalogs) Remove(id relation.ID) {
	l.mu.Lock()
	delete(l.objects, id.Name) // the compiled one goes with the next generation of that name
	l.dirty = true
	l.mu.Unlock()
	l.controller.changed()
}

// join adds the objects to the catalogs of the options, by name, and writes the outcome to each object. changed is false
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
	good := map[string]compiled{}
	for _, o := range objects {
		reason, message := catalog.ReasonAccepted, ""
		now := l.compile(o)
		try := func(one compiled) (*catalog.Set, error) {
			if one.err != nil {
				return nil, one.err
			}
			if other := set.Kind(one.kind.For); other != nil {
				return nil, &conflict{one.kind, other}
			}
			return catalog.NewSet(append(slices.Clone(kinds), one.kind)...)
		}
		with, err := try(now)
		if err != nil {
			reason, message = catalog.ReasonInvalid, err.Error()
			if errors.As(err, new(*conflict)) {
				reason = catalog.ReasonConflict
			}
			last, there := l.good[o.Name]
			if !there {
				last, there = inForce(o)
			}
			if there && last.uid == o.UID && last.generation != o.Generation {
				if with, err = try(last); err == nil {
					now, message = last, fmt.Sprintf("generation %d stays in force: %s", last.generation, message)
				}
			}
		}
		if err == nil {
			kinds, set, good[o.Name] = append(kinds, now.kind), with, now
			used += fmt.Sprintln(o.Name, o.UID, now.generation)
		}
		if err := l.answer(ctx, o, now, reason, message); err != nil {
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
	l.used, l.good = used, good
	return set, changed
}

// compile compiles an object, each generation once: a catalog that did not change stays the same one. Only join calls it.
func (l *catalogs) compile(o *relation.Object) compiled {
	if known, there := l.read[o.Name]; there && known.uid == o.UID && known.generation == o.Generation {
		return known
	}
	out := compileSpec(o, o.Generation, o.Content["spec"])
	if l.read == nil {
		l.read = map[string]compiled{}
	}
	l.read[o.Name] = out
	return out
}

// compileSpec compiles the spec of a generation of an object.
func compileSpec(o *relation.Object, generation int64, spec any) compiled {
	out := compiled{uid: o.UID, generation: generation, spec: spec}
	content := maps.Clone(o.Content)
	content["spec"] = spec
	var source *catalog.Source
	if source, out.err = catalog.FromObject(content); out.err == nil {
		out.kind, out.err = catalog.Compile(source)
	}
	return out
}

// inForce returns the last good generation of an object as its status has it: for a controller that starts after an edit that cannot be
// used.
func inForce(o *relation.Object) (compiled, bool) {
	kept := nested.Map(o.Content, "status", "inForce")
	generation, _ := kept["generation"].(int64)
	if kept["spec"] == nil {
		return compiled{}, false
	}
	out := compileSpec(o, generation, kept["spec"])
	return out, out.err == nil
}

// conflict is a catalog for a kind that has one.
type conflict struct{ kind, other *catalog.Kind }

func (e *conflict) Error() string {
	return e.kind.For.String() + " is declared by catalog " + e.other.Source.Metadata.Name
}

// answer writes the Accepted condition of a catalog and, where another generation than its own is in use, that one.
func (l *catalogs) answer(ctx context.Context, o *relation.Object, used compiled, reason, message string) error {
	c := l.controller
	s := c.source(catalogKind)
	if s == nil || c.options.DryRun != nil {
		return nil // gone with its definition
	}
	target := apply.Target{Resource: s.Served.Resource, Kind: catalogKind.Kind, Path: apply.ParsePath(""), ListMap: true, Own: own}
	list := nested.List(o.Content, "status", "conditions")
	stored, _ := wire.FromUnstructured(list)
	pass := own.Begin(o.Generation, stored, c.clock.Now())
	accepted := conditions.False
	if reason == catalog.ReasonAccepted {
		accepted = conditions.True
	}
	pass.Report(catalog.TypeAccepted, accepted, reason, message)
	result := pass.Commit()
	if accepted == conditions.False && result.Changed {
		c.log.Warn("generation of a catalog is not used", "catalog", o.Name, "reason", reason, "message", message)
	}
	fields := apply.Fields{"inForce": nil}
	if used.err == nil && used.generation != o.Generation {
		fields["inForce"] = map[string]any{"generation": used.generation, "spec": used.spec}
	}
	_, err := c.writer.Apply(ctx, target, &unstructured.Unstructured{Object: o.Content}, result, fields)
	return err
}
