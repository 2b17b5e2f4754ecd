// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// sink is a place where a condition is written, with the expressions of its parts.
type sink struct {
	node                 *node
	kind, status, reason *node
	functions            []*function // that were lifted out of
	given                *node       // the call that leaves the reason to a default
}

// Names of the parts of a condition, in all languages.
var (
	typeNames   = []string{"type", "type_", "r#type", "condition_type", "conditionType", "kind_"}
	wireTypes   = []string{"type", "type_"} // keys of an object; a view of conditions has others
	statusNames = []string{"status"}
	reasonNames = []string{"reason"}
)

// sites adds the sites of all files, in their order.
func (x *index) sites(scan *source.Scan) {
	for _, f := range x.order {
		for n := range f.tree.Root.All(nil) {
			if s, ok := x.sink(n); ok {
				x.lift(s, scan, 0)
			}
		}
	}
	slices.SortStableFunc(scan.Sites, func(a, b *source.Site) int {
		if c := strings.Compare(a.Position.File, b.Position.File); c != 0 {
			return c
		}
		return a.Position.Line - b.Position.Line
	})
	seen := map[string]bool{}
	scan.Sites = slices.DeleteFunc(scan.Sites, func(s *source.Site) bool { // one call in two ways
		key := s.Position.String() + s.In + keys(s.Types) + "=" + keys(s.Statuses) + "/" + keys(s.Reason)
		had := seen[key]
		seen[key] = true
		return had
	})
}

func keys(values []source.Value) string {
	var b strings.Builder
	for _, v := range values {
		b.WriteString(string(v.How) + v.Text + v.Expr + ",")
	}
	return b.String()
}

// sink reports whether a node writes a condition that has a reason.
func (x *index) sink(n *node) (sink, bool) {
	s := sink{node: n}
	named := false // the place says that it is a condition
	switch n.Kind {
	case "struct_expression":
		_, name := last(strings.SplitN(n.Get("name").Text(), "<", 2)[0])
		named = strings.HasSuffix(name, "Condition")
		s.kind, _ = structField(n, typeNames...)
		s.status, _ = structField(n, statusNames...)
		s.reason, _ = structField(n, reasonNames...)
	case "json_object", "object", "dictionary":
		s.kind, s.status, s.reason = entry(n, wireTypes), entry(n, statusNames), entry(n, reasonNames)
		if copied(s.kind, s.status, s.reason) {
			return sink{}, false
		}
	case "call", "new_expression", "call_expression":
		if x.language == "Rust" {
			return x.chain(n)
		}
		_, args := arguments(n)
		pick := func(names []string) *node {
			for _, name := range names {
				if v := args[name]; v != nil {
					return v
				}
			}
			return nil
		}
		_, name := last(callee(n))
		named = strings.HasSuffix(name, "Condition") && screaming.MatchString(name)
		s.kind, s.status, s.reason = pick(typeNames), pick(statusNames), pick(reasonNames)
	case "assignment_expression", "assignment":
		left := n.Get("left")
		_, name := last(left.Text())
		if left.Is("field_expression", "member_expression", "attribute") && name == "reason" && strings.Contains(strings.ToLower(left.Text()),
			"cond") {
			s.reason, named = n.Get("right"), true
		}
	}
	ok := s.reason != nil && s.reason.Text() != "None" && s.reason.Text() != "null" && s.reason.Text() != "undefined" &&
		(named || s.kind != nil && s.status != nil)
	return s, ok
}

// copied reports whether the parts of a condition are read from another one, as for a list that is shown: {type: c.type, status: c.status,
// reason: c.reason}. The properties of a schema are no condition either.
func copied(parts ...*node) bool {
	from := ""
	for _, p := range parts {
		if p.Is("object", "dictionary") {
			return true // properties: {type: {description: ...}, status: ...} of a schema
		}
		for p.Is("binary_expression", "boolean_operator", "parenthesized_expression", "as_expression") && firstOf(p) != nil {
			p = firstOf(p) // c.reason ?? "", c.get("reason") or ""
		}
		of := ""
		switch {
		case p.Is("member_expression", "attribute", "subscript", "subscript_expression"):
			of = firstOf(p).Text()
		case p.Is("call", "call_expression") && strings.HasSuffix(callee(p), ".get"):
			of = strings.TrimSuffix(callee(p), ".get")
		}
		if of == "" || from != "" && of != from {
			return false
		}
		from = of
	}
	return true
}

// entry returns the value of a key of an object or dictionary.
func entry(object *node, names []string) *node {
	for _, c := range object.NamedChildren() {
		switch c.Kind {
		case "json_pair":
			if slices.Contains(names, c.Field) {
				return lastOf(c)
			}
		case "pair":
			key := c.Get("key")
			text, quoted := plain(key)
			if slices.Contains(names, text) && quoted || slices.Contains(names, key.Text()) {
				return c.Get("value")
			}
		case "shorthand_property_identifier":
			if slices.Contains(names, c.Text()) {
				return c
			}
		}
	}
	return nil
}

// chain returns a chain of calls that sets the reason of a condition: builder.type_("Ready").status("True").reason("Reconciled").
func (x *index) chain(n *node) (sink, bool) {
	f := n.Get("function")
	if !f.Is("field_expression") || !slices.Contains([]string{"reason", "with_reason", "set_reason"}, f.Get("field").Text()) {
		return sink{}, false
	}
	s := sink{node: n}
	top := n
	for top.Parent.Is("field_expression") && top.Parent.Parent.Is("call_expression") {
		top = top.Parent.Parent
	}
	for c := top; c.Is("call_expression"); c = c.Get("function").Get("value") {
		args, _ := arguments(c)
		name := strings.TrimPrefix(strings.TrimPrefix(c.Get("function").Get("field").Text(), "with_"), "set_")
		if len(args) != 1 {
			continue
		}
		switch {
		case slices.Contains(typeNames, name):
			s.kind = args[0]
		case slices.Contains(statusNames, name):
			s.status = args[0]
		case name == "reason" && c == n:
			s.reason = args[0]
		}
	}
	return s, s.reason != nil && s.kind != nil
}

const maxLifts = 6

// lift adds the site of a sink. Where a part of it is a parameter of the function around it, the callers are sites instead.
func (x *index) lift(s sink, scan *source.Scan, depth int) {
	f := x.functionOf(s.node)
	parts := []**node{&s.kind, &s.status, &s.reason}
	var from [3]int
	lifted := false
	for i, p := range parts {
		from[i] = x.parameter(*p, f)
		lifted = lifted || from[i] >= 0
	}
	if callers := x.callersOnce(f, s.functions); lifted && depth < maxLifts && len(callers) > 0 {
		for _, call := range callers {
			next := s
			next.node = call
			next.functions = append(slices.Clone(s.functions), f)
			for i, p := range []**node{&next.kind, &next.status, &next.reason} {
				if from[i] < 0 {
					continue
				}
				if a := f.argument(call, from[i]); a != nil {
					*p = a
				} else {
					*p, next.given = f.fallback(from[i]), call
				}
			}
			if next.reason != nil && next.reason.Text() != "None" {
				x.lift(next, scan, depth+1)
			}
		}
		return
	}
	position := at(s.reason)
	if s.given != nil {
		position = at(s.given)
	}
	site := &source.Site{Position: position, In: x.nameOf(s.node, f), Kinds: x.kindsAt(s, f), Reason: x.values(s.reason)}
	if s.kind != nil {
		site.Types = x.values(s.kind)
	}
	if s.status != nil {
		site.Statuses = x.values(s.status)
	}
	scan.Sites = append(scan.Sites, site)
}

func (x *index) callersOnce(f *function, before []*function) []*node {
	if f == nil || slices.Contains(before, f) {
		return nil
	}
	return x.callers(f)
}

// parameter returns the number of the parameter of a function that an expression is, through conversions; -1 if it is none.
func (x *index) parameter(n *node, f *function) int {
	for n != nil && f != nil {
		switch {
		case n.Is("reference_expression", "parenthesized_expression", "unary_expression", "as_expression"):
			n = firstOf(n)
		case n.Is("call_expression") && n.Get("function").Is("field_expression") && slices.Contains(same, n.Get("function").Get("field").Text()):
			n = n.Get("function").Get("value")
		case n.Is("call_expression") && slices.Contains([]string{"Some", "String::from", "str"}, callee(n)):
			args, _ := arguments(n)
			if len(args) != 1 {
				return -1
			}
			n = args[0]
		case n.Is("identifier", "shorthand_property_identifier"):
			found := x.scope(n, n.Text())
			if len(found) == 1 && found[0].function == f && len(found[0].path) == 0 {
				return found[0].index
			}
			if len(found) == 1 && found[0].value != nil && len(found[0].path) == 0 && found[0].value != n {
				n = found[0].value
				continue
			}
			return -1
		default:
			return -1
		}
	}
	return -1
}

func (x *index) scope(n *node, name string) []binding {
	if x.language == "Rust" {
		return x.scopeRust(n, name)
	}
	return x.scopeScript(n, name)
}

// nameOf names a function as the checks print it.
func (x *index) nameOf(n *node, f *function) string {
	module := x.fileOf(n).stem()
	switch {
	case f == nil:
		return module
	case f.of != "":
		return module + "." + f.of + "." + f.name
	}
	return module + "." + f.name
}

// kindsAt returns the types that the functions of a site mention, or else those of its file. Where the program declares kinds, they are
// the ones.
func (x *index) kindsAt(s sink, f *function) []string {
	mentioned := map[string]bool{}
	for _, f := range append(slices.Clone(s.functions), f) {
		if f == nil {
			continue
		}
		for n := range f.node.All(nil) {
			if n.Is("type_identifier") || n.Is("identifier") && screaming.MatchString(n.Text()) && x.language != "Rust" {
				mentioned[n.Text()] = true
			}
		}
	}
	if names := x.named(mentioned); len(names) > 0 {
		return names
	}
	return x.named(x.fileOf(s.node).types)
}

func (x *index) named(types map[string]bool) []string {
	var out []string
	for t := range types {
		if len(x.kinds) == 0 || x.kinds[t] {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}
