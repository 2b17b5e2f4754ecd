// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Engine gives an engine that knows the kinds of a set. Its other fields may be set before it is used.
func Engine(set *catalog.Set) *verdict.Engine {
	semantics := map[schema.GroupKind]*verdict.Semantics{}
	packs := map[schema.GroupKind]verdict.Pack{}
	for _, k := range set.Kinds() {
		if len(k.Declaration.Types) > 0 {
			semantics[k.For] = Semantics(k)
		}
		if len(k.Verdicts)+len(k.Source.Spec.States) > 0 {
			packs[k.For] = rules{k}
		}
	}
	return &verdict.Engine{
		Semantics: func(group, kind string) *verdict.Semantics {
			return semantics[schema.GroupKind{Group: group, Kind: kind}]
		},
		Packs: func(group, kind string) verdict.Pack {
			if p, ok := packs[schema.GroupKind{Group: group, Kind: kind}]; ok {
				return p
			}
			return nil
		},
	}
}

// Semantics is what a catalog declares about conditions, in the words of package verdict. Aliases stand for their types.
func Semantics(k *catalog.Kind) *verdict.Semantics {
	s := &verdict.Semantics{Rule: "catalog/" + k.Source.Metadata.Name, Types: map[string]verdict.TypeSemantics{}}
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		declared := verdict.TypeSemantics{
			Polarity: verdict.Polarity(t.Polarity),
			Role:     verdict.Role(t.Role),
			Cells:    map[verdict.Cell]verdict.Class{},
			Always:   t.Presence == conditions.Always && !t.Optional,
		}
		for _, r := range t.Reasons {
			for _, name := range append([]string{r.Name}, r.Aliases...) {
				if name == "" && t.Imported {
					continue // a bare cell among reasons that come from elsewhere stands for itself only
				}
				declared.Cells[verdict.Cell{Status: string(r.Status), Reason: name}] = verdict.Class(r.Class)
			}
		}
		for _, name := range append([]string{t.Name}, t.Aliases...) {
			s.Types[name] = declared
		}
	}
	return s
}
