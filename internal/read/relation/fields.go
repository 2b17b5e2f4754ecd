// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Fields are the fields of objects that a set of catalogs refers to, so that a cache can drop the others.
type Fields struct {
	kinds map[schema.GroupKind]*tree
	any   tree // of kinds that only a reference names
}

// tree is a set of paths; a node without children means everything below it.
type tree map[string]tree

// always are the fields that every object keeps: its identity, and those that make edges.
var always = []string{"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
	"metadata.generation", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.ownerReferences", "metadata.labels"}

// FieldsOf collects the fields that the relations and derivations of a set read, and the conditions lists.
func FieldsOf(set *catalog.Set) *Fields {
	f := &Fields{kinds: map[schema.GroupKind]*tree{}, any: tree{}}
	for _, path := range append([]string{"status.conditions"}, always...) {
		f.any.add(path)
	}
	for _, k := range set.Kinds() {
		f.of(k.For).add(strings.Join(k.Path, "."))
		if k.Declaration.StatusWaits {
			f.of(k.For).add("status.waits")
		}
		roots := map[string]schema.GroupKind{"self": k.For}
		for _, l := range k.Relations {
			roots["related."+l.Name] = l.Target
		}
		read := func(item schema.GroupKind, programs ...*expr.Program) {
			roots["item"] = item
			for _, p := range programs {
				if p == nil {
					continue
				}
				for root, paths := range p.Uses().Paths {
					for _, path := range paths {
						f.of(roots[root]).add(path)
					}
				}
			}
		}
		for _, v := range k.Variables {
			read(schema.GroupKind{}, v.Program)
		}
		for _, l := range k.Relations {
			read(l.Target, l.Ref, l.RefBy, l.Selector, l.SelectedBy, l.Labels, l.Where)
			f.of(l.Target)
		}
		lists := []string{"status.conditions"}
		if k.Dialect == conditions.DialectCAPIv1beta2 {
			lists = append(lists, "status.v1beta2.conditions") // see wire.FromObject
		}
		read(schema.GroupKind{}, k.Paused)
		for _, d := range k.Derivations {
			item := schema.GroupKind{}
			for _, list := range lists {
				if d.Merge != nil {
					item = roots["related."+d.Merge.Of]
					f.of(item).add(list)
				}
				if d.Mirror != nil {
					f.of(roots["related."+d.Mirror.Of]).add(list)
				}
			}
			read(item, d.Programs()...)
		}
	}
	return f
}

// of returns the tree of a kind; of the empty kind, that of any.
func (f *Fields) of(gk schema.GroupKind) *tree {
	if gk.Kind == "" {
		return &f.any
	}
	if f.kinds[gk] == nil {
		t := tree{}
		for _, path := range append([]string{"status.conditions"}, always...) {
			t.add(path)
		}
		f.kinds[gk] = &t
	}
	return f.kinds[gk]
}

// add enters a dotted path; the empty one means the whole object.
func (t *tree) add(path string) {
	if path == "" {
		(*t)[""] = tree{}
		return
	}
	at := *t
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
	own := f.kinds[gk]
	if own == nil {
		return f.any.cut(content)
	}
	out := own.cut(content)
	for _, field := range []string{"metadata", "spec", "status"} { // kinds that only references lead to are read by the fields of any kind
		if sub, ok := f.any[field]; ok {
			merge(out, field, content, sub)
		}
	}
	return out
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

// merge adds the fields of a tree below one field to a copy that was cut already.
func merge(out map[string]any, field string, content map[string]any, sub tree) {
	from, ok := content[field].(map[string]any)
	if !ok {
		return
	}
	into, ok := out[field].(map[string]any)
	if !ok {
		out[field] = sub.cut(from)
		return
	}
	for key, below := range sub {
		if _, there := from[key]; !there {
			continue
		}
		if _, cut := into[key].(map[string]any); cut && len(below) > 0 {
			merge(into, key, from, below)
		} else if into[key] == nil {
			into[key] = tree{key: below}.cut(from)[key]
		}
	}
}
