// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"bytes"
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

// table holds the branches of the catalogs of a user, and after them the shipped ones, except those with the kind and the name of one of a
// user. A shipped document is read when it is first asked for.
type table struct {
	own   []rule
	mu    sync.RWMutex
	lists map[asked][]rule // what was answered
}

// asked is a kind with what is asked of it, or the text of the documents that are asked for.
type asked struct {
	schema.GroupKind
	text string
}

// tableOf returns the branches of a set and the shipped ones.
func tableOf(set *catalog.Set) *table {
	t := &table{lists: map[asked][]rule{}}
	if set != nil {
		for _, k := range set.Trees {
			t.own = append(t.own, rulesOf(k.For, k.Source.Spec.Tree)...)
		}
	}
	return t
}

// documents are those of the catalogs of Kubernetes and of the packs that have a tree.
var documents = sync.OnceValue(func() []catalog.Unread {
	return slices.Concat(catalog.DocumentsWith("\n  tree:", catalogs.Kubernetes), catalog.DocumentsWith("\n  tree:", catalogs.Packs))
})

// get returns the branches of the user and of some documents, without others; it asks once.
func (t *table) get(q asked, with func(catalog.Unread) bool, without func(rule) bool) []rule {
	t.mu.RLock()
	out, known := t.lists[q]
	t.mu.RUnlock()
	if known {
		return out
	}
	out = slices.Clone(t.own)
	for _, d := range documents() {
		if !with(d) {
			continue
		}
		for _, gk := range d.Source().Spec.For.All() {
			out = append(out, slices.DeleteFunc(rulesOf(gk, d.Source().Spec.Tree), func(r rule) bool {
				return slices.ContainsFunc(t.own, func(o rule) bool { return o.self == r.self && o.Relation == r.Relation })
			})...)
		}
	}
	out = slices.DeleteFunc(out, without)
	slices.SortStableFunc(out, func(a, b rule) int { return boolean(a.self.Kind == "", b.self.Kind == "") })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lists[q] = out
	return out
}

// of returns the branches of a kind, and then those of any.
func (t *table) of(gk schema.GroupKind) []rule {
	return t.get(asked{gk, "of"}, func(d catalog.Unread) bool { return d.Group == gk.Group || d.Group == catalog.AnyGroup },
		func(r rule) bool { return r.self != gk && r.self.Kind != "" })
}

// with returns the branches of the documents with a text, and others.
func (t *table) with(text string) []rule {
	return t.get(asked{text: text}, func(d catalog.Unread) bool { return bytes.Contains(d.Text, []byte(text)) },
		func(rule) bool { return false })
}

// membersOf returns the branches of way shares that lead to a kind, the empty one: any.
func (t *table) membersOf(gk schema.GroupKind) []rule {
	return t.get(asked{gk, shares}, func(d catalog.Unread) bool {
		text := "way: shares, self:"
		if gk.Kind != "" {
			text = "way: shares, kind: " + gk.String() + ","
		}
		return bytes.Contains(d.Text, []byte(text))
	}, func(r rule) bool { return r.Way != shares || r.item != gk })
}

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
		for _, r := range t.membersOf(gk) {
			if value := valueOf(o, r.Item); value != "" && !slices.Contains(out, markKey(r.mark, value)) {
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
