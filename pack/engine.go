// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/verdict"
)

// Engine gives an engine that knows the kinds of sets. Of several sets that say how a kind is judged the first one counts, so
// that a catalog of one's own stands in for one that is shipped. Its other fields may be set before it is used.
func Engine(sets ...*catalog.Set) *verdict.Engine {
	return engine(sets, func(string) map[string]*knowledge { return nil })
}

// Default is Engine with the shipped packs after the sets. A pack is read when an object of its API group is first judged, which takes some
// milliseconds then; all of them would take a tenth of a second.
func Default(sets ...*catalog.Set) *verdict.Engine { return engine(sets, shippedFor) }

// knowing is what is known of kinds, by group and kind.
type knowing map[string]map[string]*knowledge

func engine(sets []*catalog.Set, more func(group string) map[string]*knowledge) *verdict.Engine {
	known := knowing{}
	for _, set := range sets {
		known.add(set)
	}
	of := func(group, kind string) *knowledge {
		own, shipped := known[group], more(group)
		if own == nil && shipped == nil {
			return nil
		}
		return cmp.Or(own[kind], shipped[kind], own[catalog.AnyKind], shipped[catalog.AnyKind])
	}
	return &verdict.Engine{
		Semantics: func(group, kind string) *verdict.Semantics {
			if k := of(group, kind); k != nil {
				return k.semantics
			}
			return nil
		},
		Packs: func(group, kind string) verdict.Pack {
			if k := of(group, kind); k != nil {
				return k.pack
			}
			return nil
		},
	}
}

// add adds the kinds of a set that are not known yet.
func (k knowing) add(set *catalog.Set) {
	for _, kind := range set.Kinds() {
		of := k[kind.For.Group]
		if of == nil {
			of = map[string]*knowledge{}
			k[kind.For.Group] = of
		}
		if of[kind.For.Kind] == nil {
			of[kind.For.Kind] = knowledgeOf(set, kind)
		}
	}
}

// knowledge is what a catalog says about judging its kind.
type knowledge struct {
	semantics *verdict.Semantics
	pack      verdict.Pack
}

// knowledgeOf is nil for a catalog that only says how its kind is related.
func knowledgeOf(set *catalog.Set, k *catalog.Kind) *knowledge {
	out := &knowledge{}
	if len(k.Declaration.Types) > 0 {
		out.semantics = Semantics(set, k)
	}
	if len(k.Verdicts)+len(k.Source.Spec.States) > 0 {
		out.pack = newRules(k)
	}
	if out.semantics == nil && out.pack == nil {
		return nil
	}
	return out
}
