// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Subject is a kind that is exported, with the catalogs that judge it: one for each group of versions. A catalog for every kind of a
// group is the subject of the kind that was asked for.
type Subject struct {
	For   schema.GroupKind
	Set   *catalog.Set
	Kinds []*catalog.Kind // never empty; of several each names its versions
}

// Kind returns the catalog of a version, or nil if no catalog is about it. An empty version means the first.
func (s *Subject) Kind(version string) *catalog.Kind {
	for _, k := range s.Kinds {
		if k.Holds(version) {
			return k
		}
	}
	return nil
}

// AllVersions returns the versions of the kind: those that are given, or else those that its catalogs name. Without any it is an error.
func (s *Subject) AllVersions(given []string) ([]string, error) {
	if len(given) == 0 {
		for _, k := range s.Kinds {
			given = append(given, k.Versions...)
		}
	}
	if len(given) == 0 {
		return nil, fmt.Errorf("the catalog of %s names no version: name those of its definition, in order, with --versions", s.Name())
	}
	return given, nil
}

// Name returns the kind as Kind.group, or as Kind in the core group.
func (s *Subject) Name() string { return strings.TrimSuffix(s.For.Kind+"."+s.For.Group, ".") }

// APIVersion returns the apiVersion of objects of a version.
func (s *Subject) APIVersion(version string) string {
	return schema.GroupVersion{Group: s.For.Group, Version: version}.String()
}

// First returns the apiVersion of the first version that a catalog names, or else of v1.
func (s *Subject) First(k *catalog.Kind) string {
	return s.APIVersion(slices.Concat(k.Versions, []string{"v1"})[0])
}

// Subjects finds kinds by name, as Kind.group, or as Kind where one group has it, in sets. The first set that judges a kind takes
// precedence. A kind that no catalog is about is an error, and so is one whose catalogs declare relations only. The result is sorted and
// has each kind once.
func Subjects(names []string, sets ...*catalog.Set) ([]*Subject, error) {
	found := map[schema.GroupKind]*Subject{}
	for _, name := range names {
		want := catalog.ParseGroupKind(name)
		var here []*Subject
		for _, set := range sets {
			if here = subjectsIn(set, want, strings.Contains(name, ".")); len(here) > 0 {
				break
			}
		}
		switch {
		case len(here) == 0 && (strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml")):
			return nil, fmt.Errorf("%s is not a kind: name kinds, as Widget.example.org, and give the catalog with --catalogs %s", name, name)
		case len(here) == 0:
			return nil, fmt.Errorf("no catalog judges the kind %s: tristate status judges it by conventions, which have no export; tristate infer drafts a "+
				"catalog", name)
		case len(here) > 1:
			var all []string
			for _, s := range here {
				all = append(all, s.Name())
			}
			return nil, fmt.Errorf("%s is a kind of several groups: use one of %s", name, strings.Join(all, ", "))
		}
		found[here[0].For] = here[0]
	}
	return sorted(found), nil
}

// All returns every kind of a set that a catalog judges, sorted. Catalogs for every kind of a group are left out.
func All(set *catalog.Set) []*Subject {
	found := map[schema.GroupKind]*Subject{}
	for _, k := range set.Kinds() {
		if judges(k) && k.For.Kind != catalog.AnyKind {
			add(found, set, k.For, k)
		}
	}
	return sorted(found)
}

func subjectsIn(set *catalog.Set, want schema.GroupKind, grouped bool) []*Subject {
	found := map[schema.GroupKind]*Subject{}
	for _, k := range set.Kinds() {
		if judges(k) && k.For.Kind == want.Kind && (!grouped || k.For.Group == want.Group) {
			add(found, set, k.For, k)
		}
	}
	if len(found) > 0 || !grouped {
		return sorted(found)
	}
	for _, k := range set.Kinds() {
		if judges(k) && k.For.Kind == catalog.AnyKind && k.For.Group == want.Group {
			add(found, set, want, k)
		}
	}
	return sorted(found)
}

func add(found map[schema.GroupKind]*Subject, set *catalog.Set, gk schema.GroupKind, k *catalog.Kind) {
	s := found[gk]
	if s == nil {
		s = &Subject{For: gk, Set: set}
		found[gk] = s
	}
	s.Kinds = append(s.Kinds, k)
}

// judges reports whether a catalog has more than relations and children.
func judges(k *catalog.Kind) bool {
	return len(k.Declaration.Types)+len(k.Verdicts)+len(k.Source.Spec.States) > 0
}

func sorted(found map[schema.GroupKind]*Subject) []*Subject {
	var out []*Subject
	for _, s := range found {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *Subject) int {
		return cmp.Or(cmp.Compare(a.For.Group, b.For.Group), cmp.Compare(a.For.Kind, b.For.Kind))
	})
	return out
}

var plural = regexp.MustCompile(`^([a-z][a-z0-9]*)(-v[a-z0-9]+)?$`)

// Resource returns the resource of the kind, in lower case and plural: by convention the name of a catalog without its group. It is a
// guess, and sure is false, where no catalog is named so.
func (s *Subject) Resource() (name string, sure bool) {
	for _, k := range s.Kinds {
		if first, ok := strings.CutSuffix(k.Source.Metadata.Name, "."+s.For.Group); ok && len(k.Source.Spec.For.Kinds) == 0 && k.For == s.For {
			if m := plural.FindStringSubmatch(first); m != nil && strings.HasPrefix(m[1], strings.ToLower(s.For.Kind[:1])) {
				return m[1], true
			}
		}
	}
	return strings.ToLower(s.For.Kind) + "s", false
}

// Silence classifies a kind by its name, for objects without a status, by the conventions of package verdict. If no
// field is set the object is in progress: no controller has looked at it.
type Silence struct {
	Configuration bool // it holds configuration for others
	Provider      bool // and does so with an empty status, too
	Schedule      bool // it reports nothing before its first run
}

// SilenceOf asks package verdict about an object of the kind.
func SilenceOf(s *Subject) Silence {
	var engine verdict.Engine
	ruleOf := func(object map[string]any) string {
		object["apiVersion"], object["kind"] = s.APIVersion("v1"), s.For.Kind
		v := engine.Judge(object, Now)
		return v.Rule
	}
	spec := map[string]any{"size": int64(1)}
	silent := ruleOf(map[string]any{"spec": spec})
	return Silence{
		Configuration: silent == "no-status/configuration",
		Provider:      ruleOf(map[string]any{"spec": spec, "status": map[string]any{}}) == "no-status/configuration",
		Schedule:      silent == "no-status/schedule",
	}
}
