// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/verdict"
)

// Engine returns an engine that knows the kinds of sets. Of several sets that say how a kind is judged the first one counts, so
// that a catalog of one's own stands in for one that is shipped. Its other fields may be set before it is used.
func Engine(sets ...*catalog.Set) *verdict.Engine {
	return engine(sets, func(string) map[string]versions { return nil })
}

// Default is Engine with the shipped packs after the sets. A pack is read when an object of its API group is first judged, which takes some
// milliseconds then; all of them would take a tenth of a second.
func Default(sets ...*catalog.Set) *verdict.Engine { return engine(sets, shippedFor) }

// knowing is what is known of kinds, by group and kind; of each kind by version.
type knowing map[string]map[string]versions

// versions is what several sources know of one kind, the first that holds for a version counts.
type versions []*knowledge

func (v versions) of(version string) *knowledge {
	for _, k := range v {
		if k.kind.Holds(version) {
			return k
		}
	}
	return nil
}

func engine(sets []*catalog.Set, more func(group string) map[string]versions) *verdict.Engine {
	known := knowing{}
	for _, set := range sets {
		known.add(set)
	}
	of := func(group, version, kind string) *knowledge {
		own, shipped := known[group], more(group)
		if own == nil && shipped == nil {
			return nil
		}
		return cmp.Or(own[kind].of(version), shipped[kind].of(version), own[catalog.AnyKind].of(version), shipped[catalog.AnyKind].of(version))
	}
	return &verdict.Engine{
		Semantics: func(group, version, kind string) *verdict.Semantics {
			if k := of(group, version, kind); k != nil {
				return k.semantics
			}
			return nil
		},
		Packs: func(group, version, kind string) verdict.Pack {
			if k := of(group, version, kind); k != nil && k.rules != nil {
				return k.rules
			}
			return nil
		},
	}
}

// add adds what a set knows of kinds and versions; what is known already comes first.
func (k knowing) add(set *catalog.Set) {
	for _, kind := range set.Kinds() {
		of := k[kind.For.Group]
		if of == nil {
			of = map[string]versions{}
			k[kind.For.Group] = of
		}
		if one := knowledgeOf(set, kind); one != nil {
			of[kind.For.Kind] = append(of[kind.For.Kind], one)
		}
	}
}

// knowledge is what a catalog says about judging its kind.
type knowledge struct {
	kind      *catalog.Kind
	semantics *verdict.Semantics
	rules     *rules
}

// knowledgeOf is nil for a catalog that only says how its kind is related.
func knowledgeOf(set *catalog.Set, k *catalog.Kind) *knowledge {
	out := &knowledge{kind: k}
	if len(k.Declaration.Types) > 0 {
		out.semantics = Semantics(set, k)
	}
	if len(k.Verdicts)+len(k.Source.Spec.States)+len(k.Source.Spec.Remedies) > 0 {
		out.rules = newRules(k)
	}
	if out.semantics == nil && out.rules == nil {
		return nil
	}
	return out
}
