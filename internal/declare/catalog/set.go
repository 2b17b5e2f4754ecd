// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Set is a collection of catalogs that agree with each other. It is read-only.
type Set struct {
	kinds  map[schema.GroupKind][]*Kind
	sorted []*Kind
	atRead map[schema.GroupKind][]*Kind // those that are derived when an object is read, see ReadBy
	// Trees are the kinds with branches, in order. A kind with nothing else is not in Kinds.
	Trees []*Kind
}

// NewSet checks kinds against each other:
//
//   - No version of a kind is declared twice. A catalog with nothing but relations adds them to the others.
//   - A type that a mirror, an aggregate or an expression reads on a related kind is declared there, if that kind has a
//     catalog.
//   - Derived conditions of different kinds do not depend on each other in a circle.
//
// With an error the set holds the valid kinds.
func NewSet(kinds ...*Kind) (*Set, error) {
	kinds, last := all(kinds), map[bool]int{true: 1}
	slices.SortStableFunc(kinds, func(a, b *Kind) int {
		return cmp.Or(cmp.Compare(a.For.Group, b.For.Group), cmp.Compare(a.For.Kind, b.For.Kind), last[a.onlyRelates()]-last[b.onlyRelates()])
	})
	s := &Set{kinds: map[schema.GroupKind][]*Kind{}, atRead: map[schema.GroupKind][]*Kind{}}
	var errs Errors
	kinds = slices.DeleteFunc(kinds, func(k *Kind) bool {
		if k.AtRead {
			s.atRead[k.For] = append(s.atRead[k.For], k)
		}
		if len(k.Source.Spec.Tree) > 0 {
			s.Trees = append(s.Trees, k)
		}
		return k.AtRead || k.onlyBranches()
	})
	for _, k := range kinds {
		if err := s.put(k); err != nil {
			errs = append(errs, err)
		}
	}
	for _, k := range kinds {
		for _, one := range s.kinds[k.For] {
			if !slices.Contains(s.sorted, one) {
				s.sorted = append(s.sorted, one)
			}
		}
	}
	bad := map[*Kind]bool{}
	if !slices.ContainsFunc(kinds, func(k *Kind) bool { return !k.shipped }) {
		return s, errs.err() // a test checks those that come with the module
	}
	for _, k := range s.sorted {
		if e := s.check(k); len(e) > 0 {
			errs = append(errs, e...)
			bad[k] = true
		}
	}
	if e, k := s.crossCycle(); e != nil {
		errs = append(errs, e)
		bad[k] = true
	}
	isBad := func(k *Kind) bool { return bad[k] }
	s.sorted = slices.DeleteFunc(s.sorted, isBad)
	for k := range bad {
		s.kinds[k.For] = slices.DeleteFunc(s.kinds[k.For], isBad)
	}
	return s, errs.err()
}

// put adds a catalog to its kind. Catalogs with nothing but relations come after the others, and add to each that holds
// for one of their versions.
func (s *Set) put(k *Kind) *Error {
	list := s.kinds[k.For]
	joined := false
	for i, other := range list {
		if !overlap(other.Versions, k.Versions) || k.For.Group == AnyGroup { // those for every group are about different objects
			continue
		}
		both := relate(other, k)
		if both == nil {
			return k.claim(other)
		}
		list[i], joined = both, true
	}
	if !joined {
		s.kinds[k.For] = append(list, k)
	}
	return nil
}

// relate adds the relations and the counting children of a catalog that has nothing else to another catalog of the same
// kind. It returns nil if both have more, a relation of the same name, or children.
func relate(a, b *Kind) *Kind {
	if !b.onlyRelates() {
		a, b = b, a
	}
	if !b.onlyRelates() || slices.ContainsFunc(b.Relations, func(l *Link) bool { return a.Relation(l.Name) != nil }) {
		return nil
	}
	if a.Counting != nil && b.Counting != nil {
		return nil
	}
	both := *a
	both.Counting = cmp.Or(a.Counting, b.Counting)
	both.Relations = append(slices.Clone(a.Relations), b.Relations...)
	slices.SortFunc(both.Relations, func(x, y *Link) int { return cmp.Compare(x.Name, y.Name) })
	return &both
}

// onlyRelates reports whether a catalog declares nothing but relations, and which children count. The variables that they use are its own.
func (k *Kind) onlyRelates() bool {
	return len(k.Source.Spec.Conditions)+len(k.Source.Spec.Verdicts)+len(k.Source.Spec.States)+len(k.Variables) == 0
}

// onlyBranches reports whether a catalog has nothing but a tree, and so declares nothing that another one could contradict.
func (k *Kind) onlyBranches() bool {
	return len(k.Source.Spec.Tree) > 0 && k.onlyRelates() && len(k.Relations)+len(k.Source.Spec.Remedies) == 0 && k.Counting == nil
}

// claim is the error of a second catalog for a kind.
func (k *Kind) claim(other *Kind) *Error {
	path, name := "spec.for.kind", ""
	for i := range k.Source.Spec.Conditions {
		if t := k.Source.Spec.Conditions[i].Type; other.Type(t) != nil {
			path, name = index("spec.conditions", i)+".type", t
			break
		}
	}
	message := fmt.Sprintf("%s has a catalog already, at %s", describe(k.For), other.Source.At("spec.for.kind"))
	if name != "" {
		message = fmt.Sprintf("condition %s of %s is claimed by another catalog, at %s", name, describe(k.For), other.where(name))
	}
	return k.Source.err(path, message, "declare a kind in one catalog")
}

// where returns the place at which a type is declared.
func (k *Kind) where(conditionType string) string {
	for i := range k.Source.Spec.Conditions {
		if k.Source.Spec.Conditions[i].Type == k.Canonical(conditionType) {
			if p := k.Source.At(index("spec.conditions", i) + ".type").String(); p != "" {
				return p
			}
		}
	}
	return k.Source.Metadata.Name
}

func describe(gk schema.GroupKind) string { return strings.TrimSuffix(gk.Kind+"."+gk.Group, ".") }

// Kind finds the catalog of a kind, whatever the version of its objects; nil without one. If there are several for
// different versions, it is the first that derives conditions, or else the first.
func (s *Set) Kind(gk schema.GroupKind) *Kind {
	if s == nil || len(s.kinds[gk]) == 0 {
		return nil
	}
	list := s.kinds[gk]
	if i := slices.IndexFunc(list, func(k *Kind) bool { return len(k.Derivations) > 0 }); i > 0 {
		return list[i]
	}
	return list[0]
}

// Of returns the catalog that holds for a version of a kind, or nil. This catalog judges objects of that version.
func (s *Set) Of(gvk schema.GroupVersionKind) *Kind {
	if s == nil {
		return nil
	}
	for _, k := range s.kinds[gvk.GroupKind()] {
		if k.Holds(gvk.Version) {
			return k
		}
	}
	return nil
}

// ReadBy returns the catalogs whose conditions are derived when an object of a kind is read. They are not in
// [Set.Kinds]: these conditions are never written, so they need no field in the status, no watch and no place in a list
// of conditions.
func (s *Set) ReadBy(gvk schema.GroupVersionKind) []*Kind {
	if s == nil || len(s.atRead) == 0 {
		return nil
	}
	list := s.atRead[gvk.GroupKind()]
	if slices.ContainsFunc(list, func(k *Kind) bool { return !k.Holds(gvk.Version) }) {
		return slices.DeleteFunc(slices.Clone(list), func(k *Kind) bool { return !k.Holds(gvk.Version) })
	}
	return list
}

// Kinds returns the catalogs by group and kind; several of a kind that are for different versions in the order in which they were given.
func (s *Set) Kinds() []*Kind {
	if s == nil {
		return nil
	}
	return s.sorted
}

// check holds what k reads on other kinds to their catalogs.
func (s *Set) check(k *Kind) Errors {
	var errs Errors
	reads := func(path, relation, conditionType string) {
		l := k.Relation(relation)
		if l == nil {
			return
		}
		targets := s.kinds[l.Target]
		if len(targets) == 0 || slices.ContainsFunc(targets, func(k *Kind) bool { return k.Type(conditionType) != nil }) {
			return
		}
		target := targets[0]
		errs = append(errs, k.Source.err(path, fmt.Sprintf("%s declares no condition %q", describe(l.Target), conditionType),
			suggest(conditionType, target.names())))
	}
	for i := range k.Source.Spec.Conditions {
		d := &k.Source.Spec.Conditions[i]
		if d.Derive == nil {
			continue
		}
		at := index("spec.conditions", i) + ".derive"
		if m := d.Derive.Mirror; m != nil {
			reads(at+".mirror.type", m.Of, m.Type)
		}
		if a := d.Derive.Aggregate; a != nil {
			reads(at+".aggregate.type", a.Of, a.Type)
		}
		for _, derivation := range k.Derivations {
			if derivation.Type.Name != d.Type {
				continue
			}
			for _, rule := range derivation.Rules {
				if rule.When == nil {
					continue
				}
				for _, use := range rule.When.Conditions() {
					if relation, ok := strings.CutPrefix(use.Root, "related."); ok {
						reads(at, relation, use.Type)
					}
				}
			}
		}
	}
	return errs
}

func (k *Kind) names() []string {
	var out []string
	for i := range k.Declaration.Types {
		out = append(out, k.Declaration.Types[i].Name)
	}
	return out
}

// crossCycle looks for derived conditions that depend on each other over relations of a declared kind.
func (s *Set) crossCycle() (*Error, *Kind) {
	type node struct {
		kind *Kind
		d    *Derivation
	}
	nodes := map[string]node{}
	var names []string
	id := func(gk schema.GroupKind, conditionType string) string { return describe(gk) + " " + conditionType }
	for _, k := range s.sorted {
		for _, d := range k.Derivations {
			n := id(k.For, d.Type.Name)
			nodes[n] = node{k, d}
			names = append(names, n)
		}
	}
	_, cycle := topological(names, func(n string) []string {
		k, d := nodes[n].kind, nodes[n].d
		var uses []string
		for _, t := range d.Reads() {
			uses = append(uses, id(k.For, t))
		}
		over := func(relation, conditionType string) {
			if l := k.Relation(relation); l != nil {
				if target := s.Kind(l.Target); target != nil {
					uses = append(uses, id(l.Target, target.Canonical(conditionType)))
				}
			}
		}
		if d.Mirror != nil {
			over(d.Mirror.Of, d.Mirror.Type)
		}
		if d.Merge != nil {
			over(d.Merge.Of, d.Merge.Type)
		}
		for _, r := range d.Rules {
			if r.When != nil {
				for _, use := range r.When.Conditions() {
					if relation, ok := strings.CutPrefix(use.Root, "related."); ok {
						over(relation, use.Type)
					}
				}
			}
		}
		return uses
	})
	if cycle == nil {
		return nil, nil
	}
	first := nodes[cycle[0]]
	for i := range first.kind.Source.Spec.Conditions {
		if first.kind.Source.Spec.Conditions[i].Type == first.d.Type.Name {
			return first.kind.Source.err(index("spec.conditions", i)+".derive",
				"derived conditions of different kinds depend on each other: "+strings.Join(cycle, " -> "), breakCycle), first.kind
		}
	}
	return nil, nil
}
