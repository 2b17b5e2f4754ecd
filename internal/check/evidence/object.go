// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// Phase is a part of the life of an object; many rules hold only in some.
type Phase string

// The phases.
const (
	Settled  Phase = "settled"  // the current generation is observed, and no condition reports progress
	Moving   Phase = "moving"   // a generation is not observed yet, or a condition reports progress
	Deleting Phase = "deleting" // finalizers may break every invariant
)

// ObjectView is one object with its conditions read once for all checks.
type ObjectView struct {
	*relation.Object
	Position catalog.Position
	// Kind is its catalog; nil without one.
	Kind    *catalog.Kind
	Entries []Entry
	Phase   Phase
	Created time.Time
	// Observed is the time of an observation; zero where it has none.
	Observed time.Time
	// Deleted is set where an observation reports its removal.
	Deleted bool
}

// Entry is one entry of a conditions list, as it is stored.
type Entry struct {
	List                          string // path of the list
	Index                         int
	Type, Status, Reason, Message string
	Severity                      string
	Generation                    int64
	HasGeneration                 bool
	RawTime                       string
	Time                          time.Time // zero where RawTime is no time
	Shape                         string    // the fault of the entry or its fields; empty: none
}

// Subject returns the name of the object in findings: Kind.group/namespace/name.
func (o *ObjectView) Subject() string {
	s := o.GroupKind.String()
	if o.Namespace != "" {
		s += "/" + o.Namespace
	}
	return s + "/" + o.Name
}

// Find returns the first entry of a type, by its name or an alias; nil without one.
func (o *ObjectView) Find(conditionType string) *Entry {
	for i := range o.Entries {
		name := o.Entries[i].Type
		if name == conditionType || o.Kind != nil && o.Kind.Canonical(name) == conditionType {
			return &o.Entries[i]
		}
	}
	return nil
}

// Type returns the compiled declaration of the type of an entry; nil without one.
func (o *ObjectView) Type(e *Entry) *conditions.Type {
	if o.Kind == nil {
		return nil
	}
	return o.Kind.Type(e.Type)
}

// Cells returns the declared cells of a type with a reason, by its name or an alias.
func Cells(t *conditions.Type, reason string) []conditions.Reason {
	return slices.DeleteFunc(slices.Clone(t.Reasons), func(r conditions.Reason) bool {
		return r.Name != reason &&
			!slices.Contains(r.Aliases, reason)
	})
}

// Declared returns the declaration of the type of an entry as its author wrote it; nil without one.
func (o *ObjectView) Declared(e *Entry) *catalog.Condition {
	if o.Kind == nil {
		return nil
	}
	return o.Kind.Condition(e.Type)
}

// Budget returns how long an entry may be Unknown or in progress: the deadline that its cell declares, otherwise budget.
func (o *ObjectView) Budget(e *Entry, budget time.Duration) time.Duration {
	if o.Kind == nil {
		return budget
	}
	if r := o.Kind.Reason(e.Type, e.Reason, conditions.Status(e.Status)); r != nil && r.Deadline != nil && r.Deadline.After > 0 {
		return r.Deadline.After
	}
	return budget
}

// NewObject wraps a decoded object.
func NewObject(content map[string]any, at catalog.Position) *ObjectView {
	o := &ObjectView{Object: relation.FromContent(content), Position: at}
	created := nested.Text(content, "metadata", "creationTimestamp")
	o.Created, _ = time.Parse(time.RFC3339, created) // zero where it is no time
	return o
}

// Stated returns status.observedGeneration; 0 without one.
func (o *ObjectView) Stated() int64 {
	generation, _ := number(nested.At(o.Content, "status", "observedGeneration"))
	return generation
}

// Written returns the time of the last write that the managed fields show, with or without writes of the status.
// Without any it is the time of the creation.
func (o *ObjectView) Written(status bool) time.Time {
	last := o.Created
	for _, m := range nested.Maps(o.Content, "metadata", "managedFields") {
		if t, err := time.Parse(time.RFC3339, nested.Text(m, "time")); err == nil && t.After(last) && (status || m["subresource"] != "status") {
			last = t
		}
	}
	return last
}

// join reads the conditions by the catalog of the kind, or else at their usual place.
func (o *ObjectView) join(set *catalog.Set) {
	o.Kind = set.Kind(o.GroupKind)
	o.Entries = o.Entries[:0]
	if o.Kind != nil && o.Kind.At.Many() {
		for _, place := range o.Kind.Lists(o.Content) {
			o.read(place.Path, place.List)
		}
	} else {
		path, at := []string{"status", "conditions"}, any(o.Content)
		if o.Kind != nil {
			path = o.Kind.Path
		}
		name := ""
		for _, field := range path {
			m, _ := at.(map[string]any)
			at = m[field]
			name += "." + field
		}
		list, _ := at.([]any)
		o.read(name[1:], list)
	}
	o.Phase = o.phase()
}

func (o *ObjectView) read(path string, list []any) {
	if len(list) > 0 && o.Entries == nil {
		o.Entries = make([]Entry, 0, len(list))
	}
	for i, raw := range list {
		e := Entry{List: path, Index: i}
		m, ok := raw.(map[string]any)
		if !ok {
			e.Shape = "the entry is not an object"
			o.Entries = append(o.Entries, e)
			continue
		}
		text := func(field string) string {
			v, there := m[field]
			s, is := v.(string)
			if there && !is {
				e.Shape = field + " is not a string"
			}
			return s
		}
		e.Type, e.Status, e.Message, e.RawTime = text("type"), text("status"), text("message"), text("lastTransitionTime")
		e.Reason, e.Severity = text("reason"), text("severity")
		e.Generation, e.HasGeneration = number(m["observedGeneration"])
		if t, err := time.Parse(time.RFC3339, e.RawTime); err == nil {
			e.Time = t
		}
		o.Entries = append(o.Entries, e)
	}
}

// phase returns the part of its life that the object is in.
func (o *ObjectView) phase() Phase {
	if o.Deleting {
		return Deleting
	}
	if g, ok := number(nested.At(o.Content, "status", "observedGeneration")); ok && g < o.Generation {
		return Moving
	}
	for i := range o.Entries {
		e := &o.Entries[i]
		if e.HasGeneration && e.Generation > 0 && e.Generation < o.Generation || e.Status == "Unknown" {
			return Moving
		}
		if o.Kind == nil {
			if e.Type == "Reconciling" && e.Status == "True" {
				return Moving
			}
			continue
		}
		if r := o.Kind.Reason(e.Type, e.Reason, conditions.Status(e.Status)); r != nil && r.Class == conditions.ClassProgress {
			return Moving
		}
	}
	return Settled
}

// number returns a whole number of decoded JSON or YAML.
func number(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	}
	return 0, false
}
