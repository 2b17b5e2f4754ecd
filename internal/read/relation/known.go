// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The ways of a branch, see [catalog.Branch].
const (
	refs, refsBy, selector, matches = "refs", "refsBy", "selector", "labels"
	inventory, shares, remains      = "inventory", "shares", "remains"
)

// show is when a tree shows an edge.
type show uint8

const (
	below   show = iota // always, as self owns it
	trouble             // if item, which self reads, does not exist, or is broken and self is unhealthy
	passing             // the same where self is unhealthy: it has read item once and goes on without it
	output              // if everything is to be shown: self writes it, and it explains nothing
	hidden              // only in a tree that goes up
)

// shows says when a tree shows what a relation or a branch of a role leads to.
var shows = map[string]show{"reads": trouble, "once": passing, "writes": output, "hidden": hidden}

// showOf returns when a tree shows the objects of a declared relation.
func showOf(l *catalog.Link) show {
	if s := shows[l.Role]; s != below || l.Below {
		return s
	}
	return hidden
}

// rule is a branch with its kinds, paths and values parsed.
type rule struct {
	catalog.Branch
	self, item schema.GroupKind // the empty one: any, and of item that of the reference
	show       show
	paths      [][]string
	mark       string          // of way shares: the name of the value
	labels     labels.Selector // of way shares: those of self
}

// table holds the branches of catalogs.
type table struct {
	rules   map[schema.GroupKind][]rule // by the kind of self, each with those of any kind, which are under the empty one
	members map[schema.GroupKind][]rule // of way shares, one of a mark, by the kind of item
}

// of returns the branches of a kind and those of any.
func (t *table) of(gk schema.GroupKind) []rule {
	if list, known := t.rules[gk]; known {
		return list
	}
	return t.rules[schema.GroupKind{}]
}

// newTable makes a table of rules.
func newTable(list []rule) *table {
	t := &table{map[schema.GroupKind][]rule{}, map[schema.GroupKind][]rule{}}
	for _, r := range list {
		t.rules[r.self] = append(t.rules[r.self], r)
		if r.Way == shares && !slices.ContainsFunc(t.members[r.item], func(other rule) bool { return other.mark == r.mark }) {
			t.members[r.item] = append(t.members[r.item], r)
		}
	}
	for gk, list := range t.rules {
		if gk.Kind != "" {
			t.rules[gk] = slices.Concat(list, t.rules[schema.GroupKind{}])
		}
	}
	return t
}

// branchesOf returns the branches of a set and then the shipped ones, except those with the kind and the name of one of the set.
func branchesOf(set *catalog.Set) *table {
	if set == nil || len(set.Trees) == 0 {
		return shippedTable()
	}
	var own []rule
	for gk, tree := range set.Trees {
		own = append(own, rulesOf(gk, tree)...)
	}
	replaced := func(r rule) bool {
		return slices.ContainsFunc(own, func(o rule) bool { return o.self == r.self && o.Relation == r.Relation })
	}
	return newTable(append(own, slices.DeleteFunc(slices.Clone(shippedRules()), replaced)...))
}

// shippedRules reads the branches of the catalogs of Kubernetes and of the packs, once.
var shippedRules = sync.OnceValue(func() (out []rule) {
	for _, s := range slices.Concat(catalog.DocumentsWith("tree", catalogs.Kubernetes, "kubernetes"),
		catalog.DocumentsWith("tree", catalogs.Packs, "packs")) {
		for _, gk := range s.Spec.For.All() {
			out = append(out, rulesOf(gk, s.Spec.Tree)...)
		}
	}
	return out
})

var shippedTable = sync.OnceValue(func() *table { return newTable(shippedRules()) })

// rulesOf parses the branches of a kind.
func rulesOf(gk schema.GroupKind, tree []catalog.Branch) (out []rule) {
	if gk.Kind == catalog.AnyKind {
		gk = schema.GroupKind{}
	}
	for _, b := range tree {
		b.Way = cmp.Or(b.Way, refs)
		r := rule{Branch: b, self: gk, item: catalog.ParseGroupKind(b.Kind), show: shows[b.Role]}
		if r.selectsPods() {
			r.item = podKind
		}
		for _, path := range b.Paths {
			r.paths = append(r.paths, strings.Split(path, "."))
		}
		r.mark = strings.TrimSpace(strings.Join(b.Item, " ") + " " + b.Kind)
		r.labels, _ = labels.Parse(b.Labels)
		out = append(out, r)
	}
	return out
}

// at calls found for every value that a path leads to, through all items of the lists on the way.
func at(value any, path []string, found func(any)) {
	if len(path) == 0 {
		if value != nil {
			found(value)
		}
		return
	}
	switch v := value.(type) {
	case map[string]any:
		at(v[path[0]], path[1:], found)
	case []any:
		for _, item := range v {
			at(item, path, found)
		}
	}
}

// template is why a workload without pods refers to what its template refers to.
const template = "template"

// own returns the value of self of a rule of way shares; empty where its labels do not match.
func (r *rule) own(o *Object) string {
	if r.Labels != "" && !r.labels.Matches(labels.Set(o.Labels())) {
		return ""
	}
	return valueOf(o, r.Self)
}

// valueOf returns the parts of a value of an object; empty where one is.
func valueOf(o *Object, parts []string) (value string) {
	for i, part := range parts {
		var text string
		switch from, key, _ := strings.Cut(part, ":"); from {
		case "namespace":
			text = o.Namespace
		case "name":
			text = o.Name
		case "uid":
			text = o.UID
		case "label", "annotation":
			text = o.mark(from+"s", key)
		default:
			at(o.Content, strings.Split(part, "."), func(field any) { text, _ = field.(string) })
		}
		if text == "" {
			return ""
		}
		if value += text; i < len(parts)-1 {
			value += "/"
		}
	}
	return value
}

// markKeys returns the keys of the inventories that an object is a member of.
func (t *table) markKeys(o *Object) []string {
	var out []string
	for _, gk := range []schema.GroupKind{{}, o.GroupKind} {
		for _, r := range t.members[gk] {
			if value := valueOf(o, r.Item); value != "" {
				out = append(out, markKey(r.mark, value))
			}
		}
	}
	return out
}

func markKey(mark, value string) string { return "\x00" + mark + "\x00" + value }

// memberKeys returns the keys of the owners of an object and of the inventories that it is a member of, and of a pod its namespace and
// labels there.
func (t *table) memberKeys(o *Object) []string {
	out := append(ownerKeys(o), t.markKeys(o)...)
	if o.GroupKind == podKind {
		out = append(out, labelKey(o.Namespace, ""))
		for key, value := range o.Labels() {
			out = append(out, labelKey(o.Namespace, key+"="+value))
		}
	}
	return out
}

// labelKey is the key of the pods of a namespace with a label, KEY=VALUE, or of all with the empty one.
func labelKey(namespace, label string) string { return "\x00pods\x00" + namespace + "\x00" + label }
