// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Semantics returns the declaration of conditions by a catalog, in the terms of package verdict. Aliases are replaced by their types. A
// reason that a derived condition imports has the class of its source, unless two sources disagree.
func Semantics(set *catalog.Set, k *catalog.Kind) *verdict.Semantics {
	s := &verdict.Semantics{Rule: "catalog/" + k.Source.Metadata.Name, Types: map[string]*verdict.TypeSemantics{}}
	if at := k.At.String(); at != "status.conditions" {
		s.Path = at
	}
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		declared := verdict.TypeSemantics{
			Position: i,
			Polarity: t.Polarity,
			Role:     t.Role,
			Cells:    map[verdict.Cell]*conditions.Reason{},
			Always:   t.Presence == conditions.PresenceAlways && !t.Optional,
			Own:      len(k.Derivations) > 0 && !k.Derives(t.Name),
		}
		for n := range t.Reasons {
			r := &t.Reasons[n]
			for _, name := range append([]string{r.Name}, r.Aliases...) {
				if name == "" && t.Imported {
					continue // a bare cell among reasons that come from elsewhere means itself only
				}
				declared.Cells[verdict.Cell{Status: string(r.Status), Reason: name}] = r
			}
		}
		if t.Imported {
			from := imports{set: set, seen: map[source]bool{}, cells: map[verdict.Cell]conditions.Class{}}
			from.of(k, t.Name)
			for cell, class := range from.cells {
				if declared.Cells[cell] == nil && class != "" {
					declared.Cells[cell] = &conditions.Reason{Name: cell.Reason, Class: class}
				}
			}
		}
		s.Types[t.Name] = &declared
		for _, name := range t.Aliases {
			alias := declared
			alias.Name = t.Name
			s.Types[name] = &alias
		}
	}
	return s
}

// imports collects the cells that a derived condition can import.
type imports struct {
	set   *catalog.Set
	seen  map[source]bool
	cells map[verdict.Cell]conditions.Class // empty: declared with several classes
}

type source struct {
	kind          schema.GroupKind
	conditionType string
}

// of collects the cells of the sources of a derived type.
func (m *imports) of(k *catalog.Kind, conditionType string) {
	for _, d := range k.Derivations {
		switch {
		case d.Type.Name != conditionType:
		case d.Summary != nil:
			for _, name := range d.Of {
				m.add(k, name)
			}
		case d.Mirror != nil:
			m.related(k, d.Mirror.Of, d.Mirror.Type)
		case d.Merge != nil:
			m.related(k, d.Merge.Of, d.Merge.Type)
		}
	}
}

// related collects the cells of a type of the related kinds; of every kind if the reference names the kind.
func (m *imports) related(k *catalog.Kind, relation, conditionType string) {
	for _, link := range k.Relations {
		if link.Name != relation {
			continue
		}
		for _, other := range m.set.Kinds() {
			if link.Target.Kind == "" || link.Target == other.For {
				m.add(other, cmp.Or(conditionType, "Ready"))
			}
		}
	}
}

// add adds the cells of a type, including those that it imports itself.
func (m *imports) add(k *catalog.Kind, conditionType string) {
	t := k.Type(conditionType)
	if t == nil || m.seen[source{k.For, t.Name}] {
		return
	}
	m.seen[source{k.For, t.Name}] = true
	for _, r := range t.Reasons {
		if r.Name == "" {
			continue
		}
		cell, class := verdict.Cell{Status: string(r.Status), Reason: r.Name}, r.Class
		if before, there := m.cells[cell]; there && before != class {
			class = ""
		}
		m.cells[cell] = class
	}
	if t.Imported {
		m.of(k, t.Name)
	}
}
