// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// way is how a well-known relation joins two objects.
type way uint8

const (
	owner     way = iota // owner references of item name self; a row only names the kinds to read
	refers               // fields of self name item: by name, or as {kind, name} with or without apiVersion, apiGroup, group and namespace
	named                // fields of item name self
	selects              // a label selector of self matches item; both stand in one namespace
	matches              // the same, with a map of labels; an empty one matches nothing
	inventory            // fields of self hold namespace_name_group_kind
	shares               // a mark of self (see marks) is that of item
	contains             // self is a namespace or a definition that is being deleted, item is in it or of it and is being deleted too
)

// row is one relation that holds without a catalog.
type row struct {
	from string // Kind.group; empty: of any kind
	name string // of the edge
	way  way
	at   string // the fields, separated by spaces; [] goes through a list
	to   string // Kind.group, after NAMESPACE/ if a cluster-scoped self refers to objects in it; empty: that of the reference, or any kind
	show show
}

// show is when a tree shows an edge.
type show uint8

const (
	below   show = iota // always, as self owns it
	trouble             // if item, which self reads, does not exist, or is broken and self is unhealthy
	passing             // the same where self is unhealthy: it has read item once and goes on without it
	output              // if everything is to be shown: self writes it, and it explains nothing
	hidden              // only in a tree that goes up
)

// showOf returns when a tree shows the objects of a declared relation.
func showOf(l *catalog.Link) show {
	switch {
	case l.Role == "reads":
		return trouble
	case l.Role == "writes":
		return output
	case !l.Below:
		return hidden
	}
	return below
}

const (
	claims  = "PersistentVolumeClaim"
	gateway = "Gateway.gateway.networking.k8s.io"
)

// ways and shows are the words of catalogs/known/relations.tsv.
var (
	ways = map[string]way{"owner": owner, "refers": refers, "named": named, "selects": selects, "matches": matches, "inventory": inventory,
		"shares":   shares,
		"contains": contains}
	shows = map[string]show{"below": below, "trouble": trouble, "passing": passing, "output": output, "hidden": hidden}
)

// tableOf returns the lines of a table with their fields, between tabs, without comments.
func tableOf(text string) (out [][]string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

// rows returns the table. A catalog declares the same with relations, which come first.
func rows() []row {
	var all []row
	for _, f := range tableOf(catalogs.Relations) {
		all = append(all, row{f[0], f[1], ways[f[2]], f[3], f[4], shows[f[5]]})
	}
	for _, workload := range []string{"ReplicaSet.apps", "StatefulSet.apps", "DaemonSet.apps", "Job.batch"} {
		for _, r := range all {
			if r.from == "Pod" && r.show == trouble && r.way == refers {
				all = append(all, row{workload, template, refers, prefixed("spec.template.", r.at), r.to, trouble})
			}
		}
	}
	for _, route := range []string{"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"} {
		route += ".gateway.networking.k8s.io"
		all = append(all,
			row{gateway, "route", named, "spec.parentRefs[]", route, below},
			row{route, "parent", refers, "spec.parentRefs[]", gateway, trouble},
			row{route, "backend", refers, "spec.rules[].backendRefs[]", "Service", below})
	}
	return all
}

// template is why a workload without pods refers to what its template refers to.
const template = "template"

// prefixed puts a field before every path of a list.
func prefixed(field, paths string) string {
	out := strings.Fields(paths)
	for i := range out {
		out[i] = field + out[i]
	}
	return strings.Join(out, " ")
}

// rule is a row with its kinds and paths parsed.
type rule struct {
	row
	self, item schema.GroupKind
	namespace  string // of item, where self is cluster-scoped
	paths      [][]string
}

// rules returns the table by the kind of self; those of any kind stand under the empty one.
var rules = sync.OnceValue(func() map[schema.GroupKind][]rule {
	out := map[schema.GroupKind][]rule{}
	for _, r := range rows() {
		namespace, to, found := strings.Cut(r.to, "/")
		if !found {
			namespace, to = "", r.to
		}
		parsed := rule{row: r, self: catalog.ParseGroupKind(r.from), item: catalog.ParseGroupKind(to), namespace: namespace}
		for _, path := range strings.Fields(r.at) {
			parsed.paths = append(parsed.paths, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), "."))
		}
		out[parsed.self] = append(out[parsed.self], parsed)
	}
	return out
})

// at calls found for every value that a path leads to.
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
		if path[0] != "[]" {
			return
		}
		for _, item := range v {
			at(item, path[1:], found)
		}
	}
}

// mark is what the members of an inventory have in common with the object that holds it. self returns the value for that object, item that
// of a member; empty: none.
type mark struct{ self, item func(*Object) string }

// marks returns the marks by their names; catalogs/known/marks.tsv has the rules.
var marks = sync.OnceValue(func() map[string]mark {
	out := map[string]mark{}
	for _, f := range tableOf(catalogs.Marks) {
		out[f[0]] = mark{valueOf(f[1], strings.Fields(append(f, "")[3])), valueOf(f[2], nil)}
	}
	return out
})

// valueOf returns the function that reads the value of a mark, in parts, from an object whose labels are as they must be.
func valueOf(parts string, labels []string) func(*Object) string {
	var read []func(*Object) string
	for _, part := range strings.Fields(parts) {
		read = append(read, partOf(part))
	}
	return func(o *Object) string {
		for _, l := range labels {
			key, want, _ := strings.Cut(l, "=")
			if key, not := strings.CutSuffix(key, "!"); (o.mark("labels", key) == want) == not {
				return ""
			}
		}
		value := read[0](o)
		for _, f := range read[1:] {
			name := f(o)
			if value == "" || name == "" {
				return ""
			}
			value += "/" + name
		}
		return value
	}
}

func partOf(part string) func(*Object) string {
	switch from, key, _ := strings.Cut(part, ":"); from {
	case "namespace":
		return func(o *Object) string { return o.Namespace }
	case "name":
		return func(o *Object) string { return o.Name }
	case "uid":
		return func(o *Object) string { return o.UID }
	case "label":
		return func(o *Object) string { return o.mark("labels", key) }
	case "annotation":
		return func(o *Object) string { return o.mark("annotations", key) }
	}
	return func(o *Object) string { return textIn(sub(o.Content, "spec"), part) }
}

// memberRules returns the rules by which an object may be a member of an inventory, by the kind of the member; those for any kind stand
// under the empty one.
var memberRules = sync.OnceValue(func() map[schema.GroupKind][]rule {
	out := map[schema.GroupKind][]rule{}
	for _, list := range rules() {
		for _, r := range list {
			if r.way == shares && !slices.ContainsFunc(out[r.item], func(other rule) bool { return other.at == r.at }) {
				out[r.item] = append(out[r.item], r)
			}
		}
	}
	return out
})

// markKeys returns the keys of the inventories that an object is a member of.
func markKeys(o *Object) []string {
	var out []string
	for _, gk := range []schema.GroupKind{{}, o.GroupKind} {
		for _, r := range memberRules()[gk] {
			if value := marks()[r.at].item(o); value != "" {
				out = append(out, markKey(r.at, value))
			}
		}
	}
	return out
}

func markKey(mark, value string) string { return "\x00" + mark + "\x00" + value }

// memberKeys returns the keys of the owners of an object and of the inventories that it is a member of, and of a pod its namespace and
// labels there.
func memberKeys(o *Object) []string {
	out := append(ownerKeys(o), markKeys(o)...)
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
