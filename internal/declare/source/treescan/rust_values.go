// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// rust follows an expression of Rust.
func (r *resolver) rust(n *node, p path) []source.Value {
	switch n.Kind {
	case "string_literal", "raw_string_literal":
		text, ok := plain(n)
		switch {
		case len(p) > 0:
			return nil
		case !ok:
			return []source.Value{unresolved(n)}
		}
		return []source.Value{{Text: text, How: source.Constant}}
	case "block":
		return r.follow(tail(n), p)
	case "unsafe_block", "async_block", "labeled_block", "const_block", "else_clause", "parenthesized_expression", "await_expression",
		"expression_statement", "fragment":
		return r.follow(lastOf(n), p)
	case "reference_expression", "type_cast_expression":
		return r.follow(n.Get("value"), p)
	case "unary_expression":
		return r.follow(firstOf(n), p)
	case "try_expression":
		return r.follow(firstOf(n), p.below(variant(success, 0)))
	case "if_expression":
		if n.Get("alternative") == nil {
			return r.follow(n.Get("consequence"), p)
		}
		return r.all(p, n.Get("consequence"), n.Get("alternative"))
	case "match_expression":
		var out []source.Value
		for _, arm := range arms(n) {
			out = append(out, r.follow(arm.Get("value"), p)...)
		}
		return out
	case "loop_expression":
		var out []source.Value
		for b := range n.Get("body").All(inner) {
			if b.Is("break_expression") {
				out = append(out, r.follow(lastOf(b), p)...)
			}
		}
		return out
	case "tuple_expression":
		if len(p) > 0 && p[0].sort == inTuple {
			if c := n.NamedChildren(); p[0].index < len(c) {
				return r.follow(c[p[0].index], p[1:])
			}
		}
	case "array_expression":
		if len(p) > 0 && p[0].sort == inList {
			return r.all(p[1:], n.NamedChildren()...)
		}
	case "struct_expression":
		return r.literal(n, p)
	case "field_expression":
		return r.member(n, p)
	case "identifier":
		if found := r.scopeRust(n, n.Text()); len(found) > 0 {
			return r.bound(n, found, p)
		}
		return r.name(n, p)
	case "scoped_identifier", "generic_function":
		return r.name(n, p)
	case "self":
		return []source.Value{unresolved(n)}
	case "call_expression":
		return r.call(n, p)
	case "macro_invocation":
		return r.macro(n, p)
	case "return_expression", "break_expression", "continue_expression", "let_declaration", "assignment_expression", "empty_statement",
		"unit_expression":
		return nil // no value
	case "integer_literal", "boolean_literal", "float_literal", "char_literal":
		return nil
	}
	return []source.Value{unresolved(n)}
}

// tail returns the expression whose value a block has; nil if it has none.
func tail(block *node) *node {
	c := lastOf(block)
	if c.Is("expression_statement") && strings.HasSuffix(c.Text(), ";") {
		return nil
	}
	return c
}

func lastOf(n *node) *node {
	c := n.NamedChildren()
	if len(c) == 0 {
		return nil
	}
	return c[len(c)-1]
}

func arms(match *node) []*node {
	return slices.DeleteFunc(match.Get("body").NamedChildren(), func(n *node) bool { return !n.Is("match_arm") })
}

// name follows a path that is no variable.
func (r *resolver) name(n *node, p path) []source.Value {
	text := n.Text()
	if text == "None" {
		return nil
	}
	if values, ok := r.constantOf(n, text, p); ok {
		return values
	}
	return []source.Value{unresolved(n)}
}

// literal follows a field of a struct literal.
func (r *resolver) literal(n *node, p path) []source.Value {
	if len(p) == 0 || p[0].sort != inField {
		return []source.Value{unresolved(n)}
	}
	value, base := structField(n, p[0].name)
	switch {
	case value != nil:
		return r.follow(value, p[1:])
	case base != nil:
		return r.follow(base, p)
	}
	return nil
}

// structField returns the value of a field, and what the other fields are filled from.
func structField(n *node, names ...string) (value, base *node) {
	for _, c := range n.Get("body").NamedChildren() {
		switch c.Kind {
		case "field_initializer":
			if name := c.Get("field"); slices.Contains(names, name.Text()) {
				return c.Get("value"), nil
			}
		case "shorthand_field_initializer":
			if slices.Contains(names, c.Text()) {
				return firstOf(c), nil
			}
		case "base_field_initializer":
			base = firstOf(c)
		}
	}
	return nil, base
}

// member follows a field of an expression: where the expression leads nowhere, the fields of all literals of its type.
func (r *resolver) member(n *node, p path) []source.Value {
	base, name := n.Get("value"), n.Get("field").Text()
	if i, err := strconv.Atoi(name); err == nil {
		return r.follow(base, p.below(tuple(i)))
	}
	out := r.follow(base, p.below(field(name)))
	if len(out) > 0 && !slices.ContainsFunc(out, func(v source.Value) bool { return !v.Known() }) {
		return out
	}
	if typ := r.typeOf(base); typ != "" && len(r.literals[typ]) > 0 {
		return r.fieldOf(typ, name, p)
	}
	v := unresolved(n)
	if name == "reason" {
		v.How = source.Forwarded
	}
	return []source.Value{v}
}

// typeOf returns the name of the type of a variable, parameter or field, as far as it is written; otherwise it is empty.
func (x *index) typeOf(n *node) string {
	switch {
	case n == nil || x.language != "Rust":
		return ""
	case n.Is("reference_expression", "unary_expression", "parenthesized_expression"):
		return x.typeOf(lastOf(n))
	case n.Is("self"):
		return owner(n.Within("function_item"))
	case n.Is("struct_expression"):
		_, base := last(n.Get("name").Text())
		return base
	case n.Is("field_expression"):
		return x.fields[x.typeOf(n.Get("value"))][n.Get("field").Text()]
	case n.Is("scoped_identifier"):
		if of, base := last(n.Text()); x.enums[of][base] {
			return of
		}
	case n.Is("call_expression"):
		if f := x.called(n); len(f) == 1 {
			return typeName(f[0].node.Get("return_type"))
		}
	case n.Is("identifier"):
		for _, b := range x.scopeRust(n, n.Text()) {
			switch {
			case len(b.path) > 0 || b.closure != nil:
			case b.function != nil:
				return typeName(b.function.params[b.index].Parent.Get("type"))
			case b.value != nil:
				if d := b.value.Parent; d.Is("let_declaration") && d.Get("type") != nil {
					return typeName(d.Get("type"))
				}
				if !b.value.Is("identifier") {
					return x.typeOf(b.value)
				}
			}
		}
	}
	return ""
}

// call follows the value of a call.
func (r *resolver) call(n *node, p path) []source.Value {
	name := callee(n)
	args, _ := arguments(n)
	_, base := last(name)
	if f := n.Get("function"); !f.Is("field_expression") {
		if base != "" && base[0] >= 'A' && base[0] <= 'Z' { // a variant or a tuple struct
			if len(p) > 0 && p[0].sort == inVariant {
				if p[0].index < len(args) && p[0].matches(base, p[0].index) {
					return r.follow(args[p[0].index], p[1:])
				}
				return nil
			}
			if len(p) > 0 && p[0].sort == inTuple && p[0].index < len(args) {
				return r.follow(args[p[0].index], p[1:])
			}
			if len(p) == 0 && name == "Some" && len(args) == 1 { // the value of a field that is optional
				return r.follow(args[0], p)
			}
			if of, _ := last(name); len(p) == 0 && r.enums[of][base] {
				v := unresolved(n)
				v.How, v.Text = variantValue, of+"."+base
				return []source.Value{v}
			}
			return []source.Value{unresolved(n)}
		}
		if (name == "String::from" || name == "Cow::from" || name == "Cow::Borrowed" || base == "from" && len(r.called(n)) == 0) &&
			len(args) == 1 {
			return r.follow(args[0], p)
		}
	}
	if found := r.called(n); len(found) > 0 {
		if v, ok := r.methodOfVariant(n, found, p); ok {
			return v
		}
		if f := n.Get("function"); !f.Is("field_expression") || len(found) == 1 || r.typeOf(f.Get("value")) != "" {
			var out []source.Value
			for _, f := range found {
				out = append(out, r.returned(f.node.Get("body"), p)...)
			}
			return out
		}
	}
	if f := n.Get("function"); f.Is("field_expression") {
		return r.method(n, f.Get("value"), f.Get("field").Text(), args, p)
	}
	return []source.Value{unresolved(n)}
}

// methodOfVariant follows a method whose receiver is one variant of an enumeration and whose body is a match of it.
func (r *resolver) methodOfVariant(n *node, found []*function, p path) ([]source.Value, bool) {
	receiver := n.Get("function").Get("value")
	if receiver == nil {
		return nil, false
	}
	var out []source.Value
	for _, v := range r.follow(receiver, nil) {
		if v.How != variantValue {
			return nil, false
		}
		of, name := last(v.Text)
		i := slices.IndexFunc(found, func(f *function) bool { return f.of == of })
		if i < 0 {
			return nil, false
		}
		match := tail(found[i].node.Get("body"))
		if match.Is("expression_statement") {
			match = firstOf(match)
		}
		if !match.Is("match_expression") {
			return nil, false
		}
		out = append(out, r.armOf(match, name, p)...)
	}
	return out, len(out) > 0
}

// armOf follows the arm of a match for a variant.
func (r *resolver) armOf(match *node, name string, p path) []source.Value {
	for _, arm := range arms(match) {
		pattern := arm.Get("pattern")
		wild := pattern.Text() == "_"
		for c := range pattern.All(nil) {
			if c.Is("identifier", "scoped_identifier") {
				if _, base := last(c.Text()); base == name {
					return r.follow(arm.Get("value"), p)
				}
			}
		}
		if wild {
			return r.follow(arm.Get("value"), p)
		}
	}
	return nil
}

// Methods of the standard library, by what they do with their receiver.
var (
	same = []string{"to_string", "to_owned", "into", "clone", "cloned", "copied", "as_ref", "as_deref", "as_str", "as_mut", "take", "borrow",
		"as_deref_mut", "await", "iter", "into_iter", "iter_mut", "filter", "or_insert", "boxed", "into_boxed_str", "trim", "inspect",
		"inspect_err", "rev", "collect", "to_vec", "context"}
	unwrapping = []string{"unwrap", "expect", "unwrap_or_default", "unwrap_unchecked"}
)

// method follows a method of the standard library.
func (r *resolver) method(n, receiver *node, name string, args []*node, p path) []source.Value {
	arg := func(i int) *node {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	some, failure := variant(success, 0), variant("Err", 0)
	switch {
	case slices.Contains(same, name):
		return r.follow(receiver, p)
	case slices.Contains(unwrapping, name):
		return r.follow(receiver, p.below(some))
	case name == "unwrap_or":
		return append(r.follow(receiver, p.below(some)), r.follow(arg(0), p)...)
	case name == "unwrap_or_else":
		return append(r.follow(receiver, p.below(some)), r.result(arg(0), p)...)
	case name == "unwrap_err" || name == "expect_err":
		return r.follow(receiver, p.below(failure))
	case name == "ok":
		return r.follow(receiver, p)
	case name == "err" && len(p) > 0 && p[0].sort == inVariant:
		return r.follow(receiver, p[1:].below(failure))
	case name == "ok_or" || name == "ok_or_else":
		if len(p) > 0 && p[0].matches("Err", 0) {
			if name == "ok_or" {
				return r.follow(arg(0), p[1:])
			}
			return r.result(arg(0), p[1:])
		}
		return r.follow(receiver, p)
	case name == "map" && len(p) > 0:
		if p[0].matches("Err", 0) {
			return r.follow(receiver, p)
		}
		return r.result(arg(0), p[1:])
	case name == "map_err" && len(p) > 0:
		if p[0].matches("Err", 0) {
			return r.result(arg(0), p[1:])
		}
		return r.follow(receiver, p)
	case name == "and_then" || name == "filter_map" || name == "then":
		return r.result(arg(0), p)
	case name == "then_some" && len(p) > 0:
		return r.follow(arg(0), p[1:])
	case name == "or":
		return append(r.follow(receiver, p), r.follow(arg(0), p)...)
	case name == "or_else":
		return append(r.follow(receiver, p), r.result(arg(0), p)...)
	case name == "map_or":
		return append(r.follow(arg(0), p), r.result(arg(1), p)...)
	case name == "map_or_else":
		return append(r.result(arg(0), p), r.result(arg(1), p)...)
	}
	return []source.Value{unresolved(n)}
}

// result follows what a closure, or a function that is named, returns.
func (r *resolver) result(n *node, p path) []source.Value {
	switch {
	case n == nil:
		return nil
	case n.Is("closure_expression", "arrow_function", "lambda", "function_expression"):
		return r.returned(n.Get("body"), p)
	case n.Is("identifier", "scoped_identifier"):
		of, base := last(n.Text())
		if of == "String" || of == "Into" || of == "ToString" || of == "str" || of == "ToOwned" {
			if call := n.Within("call_expression"); call != nil {
				return r.follow(firstOf(call.Get("function")), p.below(variant(success, 0)))
			}
		}
		chosen := near(r.functions[base], r.fileOf(n), of, func(f *function) (string, *file) { return f.of, f.file })
		if len(chosen) == 1 {
			return r.returned(chosen[0].node.Get("body"), p)
		}
	}
	return []source.Value{unresolved(n)}
}

// given follows what a method passes to a closure: the value of its receiver, or its error.
func (r *resolver) given(closure *node, i int, p path) []source.Value {
	list := closure.Parent
	if !list.Is("arguments") || !list.Parent.Is("call_expression") {
		// A closure with a name: what its calls pass.
		if d := closure.Parent; d.Is("let_declaration") && d.Get("pattern").Is("identifier") {
			var out []source.Value
			for _, call := range r.calls[d.Get("pattern").Text()] {
				args, _ := arguments(call)
				if r.fileOf(call) == r.fileOf(closure) && i < len(args) && !call.Get("function").Is("field_expression") {
					out = append(out, r.follow(args[i], p)...)
				}
			}
			if len(out) > 0 {
				return out
			}
		}
		return []source.Value{unresolved(closure.Get("parameters"))}
	}
	f := list.Parent.Get("function")
	if !f.Is("field_expression") || i > 0 {
		return []source.Value{unresolved(closure.Get("parameters"))}
	}
	step := variant(success, 0)
	switch f.Get("field").Text() {
	case "map_err", "unwrap_or_else", "or_else":
		step = variant("Err", 0)
	case "for_each", "filter_map", "flat_map", "find_map":
		step = element()
	case "map", "and_then", "is_some_and", "inspect", "filter", "map_or", "map_or_else":
	default:
		return []source.Value{unresolved(closure.Get("parameters"))}
	}
	return r.follow(f.Get("value"), p.below(step))
}

// fallback returns the default of a parameter; nil if it has none.
func (f *function) fallback(i int) *node {
	if i >= len(f.params) {
		return nil
	}
	if parent := f.params[i].Parent; parent.Is("default_parameter", "typed_default_parameter", "required_parameter", "optional_parameter",
		"assignment_pattern") {
		if v := parent.Get("value"); v != nil {
			return v
		}
		return parent.Get("right")
	}
	return nil
}
