// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fields are the fields of objects that a set of catalogs refers to, so that a cache can drop the others.
type Fields struct {
	kinds map[schema.GroupKind]tree // that of the empty kind: of kinds that only a reference names
}

// tree is a set of paths; a node without children means everything below it.
type tree map[string]tree

// always are the fields that every object keeps: its identity, those that make edges, and its conditions.
var always = []string{"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
	"metadata.generation", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.ownerReferences", "metadata.labels",
	"status.conditions"}

// FieldsOf collects the fields that the relations and derivations of a set read, and the conditions lists.
func FieldsOf(set *catalog.Set) *Fields {
	read := map[schema.GroupKind][]string{{}: always} // paths
	add := func(gk schema.GroupKind, path ...string) { read[gk] = append(read[gk], path...) }
	for _, k := range set.Kinds() {
		add(k.For, strings.Join(k.Path, "."))
		if k.Declaration.StatusWaits {
			add(k.For, "status.waits")
		}
		roots := map[string]schema.GroupKind{"self": k.For}
		for _, l := range k.Relations {
			roots["related."+l.Name] = l.Target
		}
		addRead := func(item schema.GroupKind, programs ...*expr.Program) {
			roots["item"] = item
			for _, p := range programs {
				if p == nil {
					continue
				}
				for root, paths := range p.Uses().Paths {
					add(roots[root], paths...)
				}
			}
		}
		for _, v := range k.Variables {
			addRead(schema.GroupKind{}, v.Program)
		}
		for _, l := range k.Relations {
			addRead(l.Target, l.Ref, l.RefBy, l.Selector, l.Labels, l.Where)
			add(l.Target)
		}
		lists := []string{"status.conditions"}
		if k.Dialect == conditions.DialectCAPIv1beta2 {
			lists = append(lists, "status.v1beta2.conditions") // see wire.FromObject
		}
		addRead(schema.GroupKind{}, k.Paused)
		for _, d := range k.Derivations {
			item := schema.GroupKind{}
			for _, list := range lists {
				if d.Merge != nil {
					item = roots["related."+d.Merge.Of]
					add(item, list)
				}
				if d.Mirror != nil {
					add(roots["related."+d.Mirror.Of], list)
				}
			}
			addRead(item, d.Programs()...)
		}
	}
	f := &Fields{kinds: map[schema.GroupKind]tree{}}
	for gk, paths := range read {
		t := tree{}
		for _, path := range slices.Concat(read[schema.GroupKind{}], paths) { // what only references lead to may be of any kind
			t.add(path)
		}
		f.kinds[gk] = t
	}
	return f
}

// of returns the fields of a kind.
func (f *Fields) of(gk schema.GroupKind) tree {
	if t, known := f.kinds[gk]; known {
		return t
	}
	return f.kinds[schema.GroupKind{}]
}

// Covers reports whether f keeps every field of the objects of a kind that other keeps.
func (f *Fields) Covers(other *Fields, gk schema.GroupKind) bool {
	return f.of(gk).covers(other.of(gk))
}

func (t tree) covers(other tree) bool {
	if _, whole := t[""]; whole {
		return true
	}
	for field, below := range other {
		mine, there := t[field]
		if !there || len(mine) > 0 && (len(below) == 0 || !mine.covers(below)) {
			return false
		}
	}
	return true
}

// add enters a dotted path; the empty one means the whole object.
func (t tree) add(path string) {
	if path == "" {
		t[""] = tree{}
		return
	}
	at := t
	parts := strings.Split(path, ".")
	for i, part := range parts {
		next, known := at[part]
		if known && len(next) == 0 {
			return // everything below is in already
		}
		if !known || i == len(parts)-1 {
			next = tree{}
			at[part] = next
		}
		at = next
	}
}

// Prune returns a copy of a decoded object with the fields that are referred to. Values are shared with the original. Inside of lists
// everything is kept.
func (f *Fields) Prune(gk schema.GroupKind, content map[string]any) map[string]any {
	return f.of(gk).cut(content)
}

func (t tree) cut(content map[string]any) map[string]any {
	if _, whole := t[""]; whole {
		out := make(map[string]any, len(content))
		for key, value := range content {
			out[key] = value
		}
		if metadata, ok := out["metadata"].(map[string]any); ok && metadata["managedFields"] != nil {
			kept := make(map[string]any, len(metadata))
			for key, value := range metadata {
				if key != "managedFields" {
					kept[key] = value
				}
			}
			out["metadata"] = kept
		}
		return out
	}
	out := make(map[string]any, len(t))
	for field, sub := range t {
		value, ok := content[field]
		if !ok {
			continue
		}
		if m, isMap := value.(map[string]any); isMap && len(sub) > 0 {
			out[field] = sub.cut(m)
			continue
		}
		out[field] = value
	}
	return out
}
