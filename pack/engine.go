// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"sync"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Engine gives an engine that knows the kinds of sets. Of several sets that say how a kind is judged the first one counts, so
// that a catalog of one's own stands in for one that is shipped. Its other fields may be set before it is used.
func Engine(sets ...*catalog.Set) *verdict.Engine {
	known := map[schema.GroupKind]*knowledge{}
	for _, set := range sets {
		for _, k := range set.Kinds() {
			if known[k.For] == nil {
				known[k.For] = knowledgeOf(set, k)
			}
		}
	}
	of := func(group, kind string) *knowledge {
		if k := known[schema.GroupKind{Group: group, Kind: kind}]; k != nil {
			return k
		}
		return known[schema.GroupKind{Group: group, Kind: catalog.AnyKind}]
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

// Shipped gives the rule packs that come with the module.
func Shipped() (*catalog.Set, error) { return shipped() }

// shipped is read once: it is the same for everybody, and costly to compile.
var shipped = sync.OnceValues(func() (*catalog.Set, error) { return catalog.LoadFS(catalogs.Packs, "packs") })
