// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"regexp"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// prepareRust cuts functions and modules that are compiled for tests alone out of the trees, and adds what macros become.
func (x *index) prepareRust() error {
	for _, f := range x.order {
		cutTests(f.tree.Root)
		for n := range f.tree.Root.All(nil) {
			if n.Is("macro_definition") {
				x.macros[n.Get("name").Text()] = n
			}
			if m := kubeKind.FindStringSubmatch(n.Text()); n.Is("attribute_item") && m != nil {
				x.kinds[m[1]] = true
			}
		}
	}
	for _, f := range x.order {
		for n := range f.tree.Root.All(nil) {
			if n.Is("macro_invocation") {
				if err := f.expand(n, x.macros); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// kubeKind is how the macros of kube name the kind of a custom resource.
var kubeKind = regexp.MustCompile(`^#\[kube\((?s:.*?)\bkind\s*=\s*"([A-Za-z0-9]+)"`)

func (x *index) addRustNode(f *file, n *node, scan *source.Scan) {
	switch n.Kind {
	case "type_identifier":
		f.types[n.Text()] = true
	case "function_item":
		x.addFunction(f, n, owner(n))
	case "const_item", "static_item":
		if v := n.Get("value"); v != nil {
			x.define(&constant{name: n.Get("name").Text(), of: owner(n), value: v, file: f}, scan)
		}
	case "call_expression":
		_, base := last(callee(n))
		x.calls[base] = append(x.calls[base], n)
	case "struct_expression":
		_, base := last(strings.SplitN(n.Get("name").Text(), "<", 2)[0])
		if base == "Self" {
			base = owner(n)
		}
		x.literals[base] = append(x.literals[base], n)
	case "enum_item":
		variants := map[string]bool{}
		for _, v := range n.Get("body").NamedChildren() {
			if v.Is("enum_variant") {
				variants[v.Get("name").Text()] = true
			}
		}
		x.enums[n.Get("name").Text()] = variants
	case "struct_item":
		fields := map[string]string{}
		for _, d := range n.Get("body").NamedChildren() {
			if d.Is("field_declaration") {
				fields[d.Get("name").Text()] = typeName(d.Get("type"))
			}
		}
		x.fields[n.Get("name").Text()] = fields
	case "use_declaration":
		use(n.Get("argument"), "", f.uses)
	}
}

// addFunction adds a function with its parameters.
func (x *index) addFunction(f *file, n *node, of string) {
	name := n.Get("name")
	if name == nil {
		return
	}
	out := &function{name: name.Text(), of: of, node: n, file: f}
	for _, p := range n.Get("parameters").NamedChildren() {
		switch p.Kind {
		case "self_parameter":
			out.method = true
		case "parameter":
			pattern := p.Get("pattern")
			if pattern == nil {
				pattern = p // of a file that does not parse
			}
			out.params = append(out.params, pattern)
		}
	}
	x.functions[out.name], x.of[n] = append(x.functions[out.name], out), out
}

// cutTests removes what has the attribute test or cfg(test).
func cutTests(n *node) {
	var kept []*node
	test := false
	for _, c := range n.Children {
		text := ""
		if c.Is("attribute_item", "inner_attribute_item") {
			text = c.Text()
		}
		switch {
		case text != "":
			attribute := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "#!["), "#["))
			test = test || strings.HasPrefix(attribute, "cfg(test") || strings.HasPrefix(attribute, "cfg(all(test") ||
				strings.HasSuffix(strings.SplitN(strings.TrimSuffix(attribute, "]"), "(", 2)[0], "test")
			kept = append(kept, c)
		case c.Is("line_comment", "block_comment"):
			kept = append(kept, c)
		case test && c.Named:
			test = false
		default:
			test = false
			cutTests(c)
			kept = append(kept, c)
		}
	}
	n.Children = kept
}

// owner returns the type of the impl block, or the module, that an item is in; empty for an item of a file.
func owner(n *node) string {
	switch p := n.Within("impl_item", "trait_item", "mod_item", "function_item"); {
	case p == nil || p.Is("function_item"):
		return ""
	case p.Is("impl_item"):
		return typeName(p.Get("type"))
	default:
		return p.Get("name").Text()
	}
}

// typeName returns the name of a type, through references, lifetimes and smart pointers; empty for what has none.
func typeName(t *node) string {
	switch {
	case t == nil:
		return ""
	case t.Is("type_identifier", "primitive_type", "identifier"):
		return t.Text()
	case t.Is("scoped_type_identifier"):
		return t.Get("name").Text()
	case t.Is("generic_type"):
		name := typeName(t.Get("type"))
		if name == "Arc" || name == "Box" || name == "Rc" || name == "Cow" {
			args := t.Get("type_arguments").NamedChildren()
			if len(args) > 0 {
				return typeName(args[len(args)-1])
			}
		}
		return name
	case t.Is("reference_type"):
		return typeName(t.Get("type"))
	}
	return ""
}

// use records the names that a use declaration brings, with the paths that they mean.
func use(n *node, prefix string, into map[string]string) {
	join := func(name string) string {
		if prefix == "" {
			return name
		}
		return prefix + "::" + name
	}
	switch {
	case n == nil:
	case n.Is("use_as_clause"):
		into[n.Get("alias").Text()] = join(n.Get("path").Text())
	case n.Is("scoped_use_list"):
		use(n.Get("list"), join(n.Get("path").Text()), into)
	case n.Is("use_list"):
		for _, c := range n.NamedChildren() {
			use(c, prefix, into)
		}
	case n.Is("scoped_identifier", "identifier"):
		_, base := last(n.Text())
		if join(n.Text()) != base {
			into[base] = join(n.Text())
		}
	}
}

// scopeRust returns what binds a name at a place: the innermost variable or parameter.
func (x *index) scopeRust(n *node, name string) []binding {
	for child, p := n, n.Parent; p != nil; child, p = p, p.Parent {
		var found []binding
		switch p.Kind {
		case "block":
			found = letBindings(p, child, name)
		case "match_arm":
			if pattern := p.Get("pattern"); child != pattern {
				found = bind(pattern, name, p.Within("match_expression").Get("value"))
			}
		case "if_expression", "while_expression":
			if child.Field == "consequence" || child.Field == "body" {
				for c := range p.Get("condition").All(func(n *node) bool { return n.Is("block", "closure_expression") }) {
					if c.Is("let_condition") {
						found = append(found, bind(c.Get("pattern"), name, c.Get("value"))...)
					}
				}
			}
		case "let_chain":
			for _, c := range p.NamedChildren() {
				if c.Start >= child.Start {
					break
				}
				if c.Is("let_condition") {
					found = append(found, bind(c.Get("pattern"), name, c.Get("value"))...)
				}
			}
		case "for_expression":
			if child.Field == "body" {
				for _, b := range bind(p.Get("pattern"), name, p.Get("value")) {
					b.path = append(path{element()}, b.path...)
					found = append(found, b)
				}
			}
		case "closure_expression":
			if child.Field == "body" {
				for i, param := range p.Get("parameters").NamedChildren() {
					pattern := param
					if param.Is("parameter") {
						pattern = param.Get("pattern")
					}
					for _, b := range bind(pattern, name, nil) {
						b.closure, b.index = p, i
						found = append(found, b)
					}
				}
			}
		case "function_item":
			if f := x.of[p]; f != nil {
				for i, pattern := range f.params {
					for _, b := range bind(pattern, name, nil) {
						b.function, b.index = f, i
						found = append(found, b)
					}
				}
			}
			if len(found) == 0 {
				return nil
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// letBindings returns the last variable of a name that a block declares before one of its children, with all its assignments.
func letBindings(block, child *node, name string) []binding {
	var found []binding
	var changes bool
	for _, c := range block.Children {
		if c == child {
			break
		}
		if c.Is("let_declaration") {
			if b := bind(c.Get("pattern"), name, c.Get("value")); len(b) > 0 {
				found = b
				changes = strings.Contains(c.Text()[:max(0, min(len(c.Text()), 40))], "mut ") || c.Get("value") == nil
			}
		}
	}
	if !changes {
		return found
	}
	for n := range block.All(nil) {
		if !n.Is("assignment_expression") {
			continue
		}
		if left := n.Get("left"); left.Is("identifier", "tuple_expression", "field_expression") {
			found = append(found, bind(left, name, n.Get("right"))...)
		}
	}
	return found
}

// binding is where the value of a variable comes from: the part at the path of an expression, of what a call passes to a function, or of
// what the receiver of a method passes to a closure.
type binding struct {
	value    *node
	function *function
	closure  *node
	index    int
	path     path
	// of is the struct that the pattern names innermost, and depth the steps of the path that lead to it.
	of    string
	depth int
}

// bind returns the bindings of a name in a pattern that is matched with a value.
func bind(pattern *node, name string, value *node) []binding {
	var out []binding
	of, depth := "", 0
	var walk func(*node, path)
	walk = func(p *node, at path) {
		if p == nil {
			return
		}
		add := func(step part) path { return append(append(path{}, at...), step) }
		switch p.Kind {
		case "identifier", "shorthand_field_identifier":
			if p.Text() == name {
				out = append(out, binding{value: value, path: at, of: of, depth: depth})
			}
		case "tuple_pattern", "tuple_expression":
			for i, c := range slots(p) {
				walk(c, add(tuple(i)))
			}
		case "tuple_struct_pattern":
			_, v := last(p.Get("type").Text())
			for i, c := range slots(p) {
				walk(c, add(variant(v, i)))
			}
		case "struct_pattern":
			before, was := of, depth
			_, of = last(p.Get("type").Text())
			depth = len(at)
			defer func() { of, depth = before, was }()
			for _, c := range p.NamedChildren() {
				if c.Is("field_pattern") {
					names := c.Get("name")
					if inner := c.Get("pattern"); inner != nil {
						walk(inner, add(field(names.Text())))
					} else {
						walk(names, add(field(names.Text())))
					}
				}
			}
		case "captured_pattern":
			walk(firstOf(p), at)
			walk(lastOf(p), at)
		case "slice_pattern":
			for _, c := range p.NamedChildren() {
				walk(c, add(element()))
			}
		case "match_pattern", "or_pattern", "ref_pattern", "mut_pattern", "reference_pattern", "parenthesized_pattern":
			for _, c := range p.NamedChildren() {
				if c.Field != "condition" {
					walk(c, at)
				}
			}
		}
	}
	walk(pattern, nil)
	return out
}

// slots returns what is between the commas of a pattern, up to two dots.
func slots(p *node) []*node {
	var out []*node
	var current *node
	open := false
	for _, c := range p.Children {
		switch {
		case c.Field == "type":
		case c.Kind == "(" || c.Kind == "[":
			open = true
		case c.Kind == "," || c.Kind == ")" || c.Kind == "]":
			if current != nil {
				out = append(out, current)
			}
			current = nil
		case c.Is("remaining_field_pattern", ".."):
			return out
		case open && !strings.HasSuffix(c.Kind, "comment"):
			current = c
		}
	}
	return out
}
