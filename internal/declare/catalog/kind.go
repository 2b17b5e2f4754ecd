// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a loaded catalog: checked, with its defaults filled in and its expressions compiled. It is read-only.
type Kind struct {
	Source   *Source
	For      schema.GroupKind
	Versions []string
	Managed  []string // further versions for a controller that manages the kind
	Dialect  conditions.Dialect
	At       ListPath // of the conditions list, or lists
	Path     []string // the names of At
	// Declaration is the view of an author, who reports the types that are not derived.
	Declaration *conditions.Kind
	// Derived is the view of the controller: types that are not derived are foreign.
	Derived     *conditions.Kind
	Variables   []Variable    // each after those it uses
	Relations   []*Link       // by name
	Derivations []*Derivation // each after the types of the object that it reads
	// AtRead: the derived conditions are computed when an object is looked at, and never written. See [Set.ReadBy].
	AtRead   bool
	Verdicts []Judgement
	Facts    []KindFact // in order of precedence
	// Counting says which objects below one count in its verdict; nil: none.
	Counting *Counting
	// Paused holds for objects that are left as they are; nil: none.
	Paused *expr.Program
	// Alike are the other kinds of a document that names several.
	Alike []*Kind

	canonical map[string]string // type and alias to type
	shipped   bool              // see CompileShipped
}

// Variable is a compiled named expression.
type Variable struct {
	Name    string
	Program *expr.Program
}

// VariablesOf computes the named expressions of a kind for an object, without those that fail.
func (k *Kind) VariablesOf(self map[string]any, c *expr.Context) map[string]any {
	out := make(map[string]any, len(k.Variables))
	for _, v := range k.Variables {
		if value, err := v.Program.Eval(c, expr.Values{Self: self, Variables: out}); err == nil {
			out[v.Name] = value
		}
	}
	return out
}

// Link is a compiled relation.
type Link struct {
	Relation
	Name   string
	Target schema.GroupKind // empty Kind: the reference says it
	One    bool             // leads to a single object
	Below  bool             // shown below self in a tree

	RefBy, Ref, Selector, Labels, Where *expr.Program
	join                                func() *Join // may be nil
}

// Join returns a conjunct of Where of the form f(self) == g(item), which an index can answer; nil without one.
func (l *Link) Join() *Join {
	if l.join == nil {
		return nil
	}
	return l.join()
}

// BySelf reports whether Where asks nothing of the candidates: a constant, or a question about self alone.
func (l *Link) BySelf() bool { return l.Where != nil && len(l.Where.Uses().Paths["item"]) == 0 }

// Scans reports whether the objects of the relation are found in no other way than by opening each object of its kind in every namespace.
func (l *Link) Scans() bool {
	return l.Namespace == "any" && l.Ref == nil && l.RefBy == nil && l.Selector == nil && !l.Owned && l.Join() == nil && !l.Where.False()
}

// Join is an equality between something of self and something of item.
type Join struct{ Self, Item *expr.Program }

// Derivation is a compiled derived condition.
type Derivation struct {
	Type     *conditions.Type
	PerRun   bool
	Run      *expr.Program
	Of       []string // summary: types, in order of importance
	Summary  *Summary
	Mirror   *Aggregate
	Merge    *Aggregate
	Tolerate []Tolerated
	Rules    []Cell
	// Merges are the reasons of Type that an aggregate may have: all except the reasons of its rules, which say that
	// there was nothing to merge.
	Merges []conditions.Reason
}

// Tolerated is a compiled tolerance.
type Tolerated struct {
	While, Items *expr.Program // While nil: always
	Max          int
}

// Cell is a compiled rule.
type Cell struct {
	When    *expr.Program // nil: always
	Reason  conditions.Reason
	Message *expr.Program // nil: empty
}

// AnyKind as a kind matches every kind of the group that has no catalog of its own, and AnyGroup as its group for every group.
const (
	AnyKind  = "*"
	AnyGroup = "*"
)

// Judgement is a compiled verdict rule.
type Judgement struct {
	When            *expr.Program // nil: always
	Verdict, Reason string        // Reason empty: the condition's, or the verdict
	Message         *expr.Program // nil: empty
}

// Holds reports whether the catalog is for a version of its kind. A catalog that names no versions is for all of them.
// It also returns true for an empty version, which is not known.
func (k *Kind) Holds(version string) bool {
	return version == "" || len(k.Versions) == 0 || slices.Contains(k.Versions, version)
}

// Canonical returns the type that a name means: itself, or the type it is an alias of, or the name where the catalog
// knows neither.
func (k *Kind) Canonical(name string) string {
	if t, ok := k.canonical[name]; ok {
		return t
	}
	return name
}

// Type finds a declared type by its name or an alias; nil without one.
func (k *Kind) Type(name string) *conditions.Type {
	name = k.Canonical(name)
	for i := range k.Declaration.Types {
		if k.Declaration.Types[i].Name == name {
			return &k.Declaration.Types[i]
		}
	}
	return nil
}

// Reason finds the declaration of a reason of a type, by its name or an alias; nil without one.
func (k *Kind) Reason(conditionType, reason string, status conditions.Status) *conditions.Reason {
	t := k.Type(conditionType)
	if t == nil {
		return nil
	}
	for i := range t.Reasons {
		r := &t.Reasons[i]
		if r.Status == status && (r.Name == reason || slices.Contains(r.Aliases, reason)) {
			return r
		}
	}
	return nil
}

// Summary is the name of the top-level type, the first declared one; empty without one.
func (k *Kind) Summary() string {
	for i := range k.Declaration.Types {
		if k.Declaration.Types[i].Role == conditions.RoleSummary {
			return k.Declaration.Types[i].Name
		}
	}
	return ""
}

// Derives reports whether the type is derived.
func (k *Kind) Derives(conditionType string) bool {
	for _, d := range k.Derivations {
		if d.Type.Name == conditionType {
			return true
		}
	}
	return false
}

// Written returns the versions in which a controller that manages the kind derives its conditions, the preferred one first; empty: every
// version.
func (k *Kind) Written() []string { return slices.Concat(k.Versions, k.Managed) }

// Manager is the field manager that the catalog puts the kind under; empty where it is for reading only.
func (k *Kind) Manager() string {
	if k.Source.Spec.Manage == nil {
		return ""
	}
	return k.Source.Spec.Manage.Manager
}

// Adopts reports whether Tristate takes the derived types over from managers that write them now.
func (k *Kind) Adopts() bool { return k.Source.Spec.Manage != nil && k.Source.Spec.Manage.Adopt }

// PausedBy returns the names of the relations that paused reads.
func (k *Kind) PausedBy() map[string]bool {
	used := map[string]bool{}
	if k.Paused != nil {
		for _, name := range k.Paused.Names() {
			if name.Of == "related" {
				used[name.Name] = true
			}
		}
	}
	return used
}

// DerivesFrom returns the names of the relations that derived conditions read.
func (k *Kind) DerivesFrom() map[string]bool {
	used := map[string]bool{}
	for _, d := range k.Derivations {
		if d.Mirror != nil {
			used[d.Mirror.Of] = true
		}
		if d.Merge != nil {
			used[d.Merge.Of] = true
		}
		for _, p := range d.Programs() {
			for _, name := range p.Names() {
				if name.Of == "related" {
					used[name.Name] = true
				}
			}
		}
	}
	return used
}

// Relation finds a relation by name; nil without one.
func (k *Kind) Relation(name string) *Link {
	for _, l := range k.Relations {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// ParseGroupKind reads Kind or Kind.group, as in Machine.cluster.x-k8s.io.
func ParseGroupKind(s string) schema.GroupKind {
	kind, group, _ := strings.Cut(s, ".")
	return schema.GroupKind{Group: group, Kind: kind}
}

// Unhealthy reports whether a status of a declared type is bad: False of a positive one, True of a negative one.
func (k *Kind) Unhealthy(conditionType string, status string) bool {
	t := k.Type(conditionType)
	return t != nil && t.Polarity.Bad(conditions.Status(status))
}

// InStatus reports whether the controller records the observed generation in status.observedGeneration.
func (s *Spec) InStatus() bool {
	return s.ObservedGeneration == "status" || s.ObservedGeneration == "both" || s.ObservedGeneration == "success"
}

// String describes the deadline in a sentence without a stop.
func (d *Deadline) String() string {
	text := "At most " + cmp.Or(d.After, "as long as the controller sets")
	switch d.Since {
	case "generation":
		text += " for a generation"
	case "progress":
		text += " without progress"
	}
	if d.Then != "" {
		text += ", then " + d.Then
	}
	return text
}
