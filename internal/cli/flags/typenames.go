// SPDX-License-Identifier: Apache-2.0

package flags

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/internal/fleet/cluster"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed shortnames.tsv
var shortNames string

// TypeNames are the names of types besides their kind and its plural, for objects of files: those of shortnames.tsv, and those of the
// CustomResourceDefinitions among the files.
type TypeNames map[string][]schema.GroupKind

// TypeNamesOf returns the names of types for objects of files.
func TypeNamesOf(objects []*relation.Object) TypeNames {
	out := TypeNames{}
	for text := range strings.Lines(shortNames) {
		if names, kind, ok := strings.Cut(strings.TrimSpace(text), "\t"); ok && !strings.HasPrefix(text, "#") {
			out.add(catalog.ParseGroupKind(kind), strings.Fields(names)...)
		}
	}
	for _, o := range objects {
		if o.GroupKind != crd.Kind {
			continue
		}
		if d, err := crd.Read(o.Content); err == nil {
			out.add(d.GroupKind(), d.Words()...)
		}
	}
	return out
}

func (n TypeNames) add(gk schema.GroupKind, names ...string) {
	for _, name := range names {
		if name = strings.ToLower(name); name != "" && !slices.Contains(n[name], gk) {
			n[name] = append(n[name], gk)
		}
	}
}

// Match reports whether an object is of the type of a target, and has its name, if there is one. A type is a kind, its plural or another
// name of it, with or without the group.
func (n TypeNames) Match(t cluster.Query, id relation.ID) bool {
	if t.Name != "" && t.Name != id.Name {
		return false
	}
	word, group, withGroup := strings.Cut(strings.ToLower(t.Type), ".")
	if withGroup && group != id.Group && !strings.HasSuffix(group, "."+id.Group) {
		return false
	}
	kind := strings.ToLower(id.Kind)
	plurals := []string{kind, kind + "s", kind + "es"}
	if strings.HasSuffix(kind, "y") {
		plurals = append(plurals, kind[:len(kind)-1]+"ies")
	}
	return slices.Contains(plurals, word) || slices.Contains(n[word], id.GroupKind)
}

// Kind returns the kind with a name: that of one of the objects, else a known one, else the name itself.
func (n TypeNames) Kind(word string, objects []*relation.Object) string {
	for _, o := range objects {
		if n.Match(cluster.Query{Type: word}, o.ID) {
			return o.Kind
		}
	}
	if known := n[strings.ToLower(word)]; len(known) > 0 {
		return known[0].Kind
	}
	return word
}
