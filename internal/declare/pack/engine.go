// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"
	"sync"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
)

// Engine returns an engine for the kinds of some sets. The first set that judges a kind takes precedence, so that a catalog of the
// user replaces a shipped one. Its other fields may be set before it is used.
func Engine(sets ...*catalog.Set) *verdict.Engine {
	return engine(sets, func(string) map[string]versions { return nil })
}

// Default returns an [Engine] with the shipped packs after the sets. A pack is read when an object of its API group is first judged, which
// takes some milliseconds then; all of them would take a tenth of a second.
func Default(sets ...*catalog.Set) *verdict.Engine { return engine(sets, shippedFor) }

// knowing maps groups and kinds to the knowledge of catalogs, by version.
type knowing map[string]map[string]versions

// versions lists the knowledge of several catalogs about one kind. The first one that applies to a version is used.
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
				return k.semantics()
			}
			return nil
		},
		Packs: func(group, version, kind string) verdict.Pack {
			if k := of(group, version, kind); k != nil {
				if r := k.rules(); r != nil {
					return r
				}
			}
			return nil
		},
	}
}

// add adds the kinds of a set, after those that are there already.
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

// knowledge is the part of a catalog by which its kind is judged. It is prepared when an object of the kind is first judged.
type knowledge struct {
	kind      *catalog.Kind
	semantics func() *verdict.Semantics // nil of a catalog that declares no conditions
	rules     func() *rules             // nil of one that has none
}

// knowledgeOf returns nil for a catalog that only declares relations.
func knowledgeOf(set *catalog.Set, k *catalog.Kind) *knowledge {
	declares, judges := len(k.Declaration.Types) > 0, len(k.Verdicts)+len(k.Source.Spec.States)+len(k.Source.Spec.Remedies) > 0
	if !declares && !judges {
		return nil
	}
	return &knowledge{k, sync.OnceValue(func() (out *verdict.Semantics) {
		if declares {
			out = Semantics(set, k)
		}
		return out
	}), sync.OnceValue(func() (out *rules) {
		if judges {
			out = newRules(k)
		}
		return out
	})}
}
