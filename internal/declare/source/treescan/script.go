// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// addScriptNode adds what a node of TypeScript, JavaScript or Python defines.
func (x *index) addScriptNode(f *file, n *node, scan *source.Scan) {
	switch n.Kind {
	case "type_identifier", "class_definition", "class_declaration":
		if name := n.Get("name"); name != nil {
			f.types[name.Text()] = true
		} else {
			f.types[n.Text()] = true
		}
	case "function_declaration", "function_definition", "method_definition", "arrow_function", "function_expression":
		x.addScriptFunction(f, n)
	case "variable_declarator":
		if name, v := n.Get("name"), n.Get("value"); name.Is("identifier") && v != nil && scriptScope(n).Is("program") {
			x.define(&constant{name: name.Text(), value: v, file: f}, scan)
		}
	case "assignment":
		if left, v := n.Get("left"), n.Get("right"); left.Is("identifier") && v != nil {
			switch scope := scriptScope(n); {
			case scope.Is("module"):
				x.define(&constant{name: left.Text(), value: v, file: f}, scan)
			case scope.Is("class_definition"):
				x.define(&constant{name: left.Text(), of: scope.Get("name").Text(), value: v, file: f}, scan)
			}
		}
	case "enum_assignment", "public_field_definition":
		if v := n.Get("value"); v != nil {
			of := n.Within("enum_declaration", "class_declaration")
			x.define(&constant{name: n.Get("name").Text(), of: of.Get("name").Text(), value: v, file: f}, scan)
		}
	case "call_expression", "call", "new_expression":
		_, base := last(callee(n))
		x.calls[base] = append(x.calls[base], n)
	case "import_specifier", "aliased_import":
		if alias, name := n.Get("alias"), n.Get("name"); alias != nil && name != nil {
			f.uses[alias.Text()] = name.Text()
		}
	}
}

// scriptScope returns the function, class or file that a node is in.
func scriptScope(n *node) *node {
	for p := n.Parent; p != nil; p = p.Parent {
		if inner(p) || p.Parent == nil {
			return p
		}
	}
	return nil
}

func (x *index) addScriptFunction(f *file, n *node) {
	out := &function{node: n, file: f}
	if name := n.Get("name"); name != nil {
		out.name = name.Text()
	} else if d := n.Parent; d.Is("variable_declarator", "pair", "public_field_definition") {
		if out.name = d.Get("name").Text(); out.name == "" {
			out.name = d.Get("key").Text()
		}
	}
	if class := scriptScope(n); class.Is("class_definition", "class_declaration") {
		out.of = class.Get("name").Text()
	}
	list := n.Get("parameters").NamedChildren()
	if single := n.Get("parameter"); single != nil {
		list = []*node{single}
	}
	for i, p := range list {
		if i == 0 && x.language == "Python" && out.of != "" && (p.Text() == "self" || p.Text() == "cls") {
			continue
		}
		if p.Is("keyword_separator", "positional_separator", "list_splat_pattern", "dictionary_splat_pattern") {
			continue
		}
		switch inner := p.Get("pattern"); {
		case inner != nil:
			p = inner
		case p.Get("name") != nil:
			p = p.Get("name")
		case p.Is("typed_parameter"):
			p = firstOf(p)
		case p.Is("assignment_pattern"):
			p = p.Get("left")
		}
		if p != nil {
			out.params = append(out.params, p)
		}
	}
	x.of[n] = out
	if out.name != "" {
		x.functions[out.name] = append(x.functions[out.name], out)
	}
}

// scopeScript returns what binds a name at a place: the assignments of the innermost function that assigns it, or its parameters.
func (x *index) scopeScript(n *node, name string) []binding {
	for scope := scriptScope(n); scope != nil; scope = scriptScope(scope) {
		if scope.Is("class_definition", "class_declaration") {
			continue
		}
		var found []binding
		for c := range scope.Get("body").All(inner) {
			switch c.Kind {
			case "variable_declarator":
				found = append(found, bindScript(c.Get("name"), name, c.Get("value"))...)
			case "assignment", "assignment_expression":
				found = append(found, bindScript(c.Get("left"), name, c.Get("right"))...)
			case "for_in_statement", "for_statement":
				for _, b := range bindScript(c.Get("left"), name, c.Get("right")) {
					b.path = append(path{element()}, b.path...)
					found = append(found, b)
				}
			case "named_expression":
				found = append(found, bindScript(c.Get("name"), name, c.Get("value"))...)
			}
		}
		f := x.of[scope]
		if f == nil {
			if len(found) > 0 {
				return found
			}
			continue
		}
		for i, p := range f.params {
			for _, b := range bindScript(p, name, nil) {
				if f.name == "" {
					found = append(found, binding{closure: scope, index: i, path: b.path})
				} else {
					found = append(found, binding{function: f, index: i, path: b.path})
				}
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// bindScript returns the bindings of a name in a pattern.
func bindScript(pattern *node, name string, value *node) []binding {
	var out []binding
	var walk func(*node, path)
	walk = func(p *node, at path) {
		add := func(step part) path { return append(append(path{}, at...), step) }
		switch {
		case p == nil:
		case p.Is("identifier", "shorthand_property_identifier_pattern"):
			if p.Text() == name {
				out = append(out, binding{value: value, path: at})
			}
		case p.Is("array_pattern", "pattern_list", "tuple_pattern", "tuple"):
			for i, c := range p.NamedChildren() {
				walk(c, add(tuple(i)))
			}
		case p.Is("object_pattern"):
			for _, c := range p.NamedChildren() {
				switch c.Kind {
				case "shorthand_property_identifier_pattern":
					walk(c, add(field(c.Text())))
				case "pair_pattern":
					walk(c.Get("value"), add(field(c.Get("key").Text())))
				case "object_assignment_pattern":
					walk(c.Get("left"), add(field(c.Get("left").Text())))
				}
			}
		}
	}
	walk(pattern, nil)
	return out
}

// script follows an expression of TypeScript, JavaScript or Python.
func (r *resolver) script(n *node, p path) []source.Value {
	switch n.Kind {
	case "string", "template_string", "concatenated_string":
		text, ok := plain(n)
		v := source.Value{Text: text, How: source.Constant}
		if !ok {
			v = unresolved(n)
			v.How = source.Computed
		}
		if len(p) > 0 {
			return nil
		}
		return []source.Value{v}
	case "null", "undefined", "none", "true", "false", "number", "integer", "float":
		return nil
	case "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "await_expression", "await",
		"expression_statement":
		return r.follow(firstOf(n), p)
	case "ternary_expression":
		return r.all(p, n.Get("consequence"), n.Get("alternative"))
	case "conditional_expression":
		if c := n.NamedChildren(); len(c) == 3 {
			return r.all(p, c[0], c[2])
		}
	case "boolean_operator", "binary_expression":
		if op := n.Get("operator"); op.Is("or", "||", "??") {
			return r.all(p, n.Get("left"), n.Get("right"))
		} else if op.Is("+") {
			v := unresolved(n)
			v.How = source.Computed
			return []source.Value{v}
		}
	case "tuple", "array", "list", "expression_list":
		if len(p) > 0 && (p[0].sort == inTuple || p[0].sort == inList) {
			c := n.NamedChildren()
			if p[0].sort == inList {
				return r.all(p[1:], c...)
			}
			if p[0].index < len(c) {
				return r.follow(c[p[0].index], p[1:])
			}
		}
	case "object", "dictionary":
		if len(p) > 0 && p[0].sort == inField {
			return r.follow(entry(n, []string{p[0].name}), p[1:])
		}
		if len(p) > 0 && p[0].sort == inList {
			var out []source.Value
			for _, c := range n.NamedChildren() {
				if c.Is("pair") {
					out = append(out, r.follow(c.Get("value"), p[1:])...)
				}
			}
			return out
		}
	case "statement_block", "block":
		return nil // what it returns is followed by its return statements
	case "identifier", "shorthand_property_identifier":
		if found := r.scopeScript(n, n.Text()); len(found) > 0 {
			return r.bound(n, found, p)
		}
		return r.name(n, p)
	case "member_expression", "attribute":
		return r.property(n, p)
	case "subscript_expression", "subscript":
		index := n.Get("index")
		if index == nil {
			index = n.Get("subscript")
		}
		base := firstOf(n)
		if text, ok := plain(index); ok {
			return r.follow(base, p.below(field(text)))
		} else if i, err := strconv.Atoi(index.Text()); err == nil {
			return r.follow(base, p.below(tuple(i)))
		}
		return r.follow(base, p.below(element()))
	case "call_expression", "call":
		return r.scriptCall(n, p)
	}
	return []source.Value{unresolved(n)}
}

// property follows x.y: a member of an enumeration, a class or an object.
func (r *resolver) property(n *node, p path) []source.Value {
	object := n.Get("object")
	name := n.Get("property")
	if name == nil {
		name = n.Get("attribute")
	}
	if x := r.language; x == "Python" && name.Text() == "value" && object.Is("attribute") {
		return r.property(object, p) // of an Enum
	}
	if object.Is("identifier", "this") && len(r.scopeScript(object, object.Text())) == 0 {
		if values, ok := r.constantOf(n, object.Text()+"."+name.Text(), p); ok && len(values) > 0 {
			return values
		}
	}
	out := r.follow(object, p.below(field(name.Text())))
	if len(out) > 0 && !slices.ContainsFunc(out, func(v source.Value) bool { return !v.Known() }) {
		return out
	}
	v := unresolved(n)
	if name.Text() == "reason" {
		v.How = source.Forwarded
	}
	return []source.Value{v}
}

func (r *resolver) scriptCall(n *node, p path) []source.Value {
	args, _ := arguments(n)
	name := callee(n)
	if (name == "str" || name == "String" || strings.HasPrefix(name, "Object.freeze")) && len(args) == 1 {
		return r.follow(args[0], p)
	}
	if found := r.called(n); len(found) == 1 {
		return r.returned(found[0].node.Get("body"), p)
	}
	if f := n.Get("function"); f.Is("member_expression", "attribute") &&
		(strings.HasSuffix(name, ".get") || strings.HasSuffix(name, ".toString")) {
		if strings.HasSuffix(name, ".get") && len(args) > 0 {
			step := element()
			if text, ok := plain(args[0]); ok {
				step = field(text)
			}
			out := r.follow(f.Get("object"), p.below(step))
			if len(args) > 1 {
				out = append(out, r.follow(args[1], p)...)
			}
			return out
		}
		return r.follow(f.Get("object"), p)
	}
	return []source.Value{unresolved(n)}
}
