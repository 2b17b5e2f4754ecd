// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// Limits of following one value: what is beyond them is unresolved.
const (
	maxDepth  = 60
	maxSteps  = 20000
	maxValues = 64
)

// variantValue marks a value that is a variant of an enumeration: it has no text before a method makes one of it.
const variantValue source.How = "variant"

// resolver follows one value.
type resolver struct {
	*index
	active map[place]bool // what is being followed: a cycle has no value of its own
	steps  int
	depth  int
}

// place is a part of an expression.
type place struct {
	node *node
	path string
}

// values returns the possible values of an expression.
func (x *index) values(n *node) []source.Value {
	r := &resolver{index: x, active: map[place]bool{}}
	out := unique(r.follow(n, nil))
	for i := range out {
		if out[i].How == variantValue {
			out[i].How = source.Unknown
		}
	}
	if len(out) == 0 {
		return []source.Value{unresolved(n)}
	}
	return out
}

func unresolved(n *node) source.Value {
	text := strings.Join(strings.Fields(n.Text()), " ")
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:57], "") + "..."
	}
	return source.Value{How: source.Unknown, Expr: text}
}

func unique(values []source.Value) []source.Value {
	var out []source.Value
	for _, v := range values {
		if !slices.ContainsFunc(out, func(o source.Value) bool { return o.How == v.How && o.Text == v.Text && o.Expr == v.Expr }) {
			out = append(out, v)
		}
	}
	return out
}

// follow returns the values of the part of an expression at a path. No values mean that the expression never has one there: it is another
// variant, or does not return.
func (r *resolver) follow(n *node, p path) []source.Value {
	if n == nil {
		return nil
	}
	key := place{n, p.String()}
	if r.active[key] {
		return nil
	}
	if r.steps++; r.steps > maxSteps || r.depth > maxDepth || len(p) > 12 {
		return []source.Value{unresolved(n)}
	}
	r.active[key] = true
	r.depth++
	var out []source.Value
	if r.language == "Rust" {
		out = r.rust(n, p)
	} else {
		out = r.script(n, p)
	}
	r.depth--
	delete(r.active, key)
	if out = unique(out); len(out) > maxValues {
		return []source.Value{unresolved(n)}
	}
	return out
}

// all follows several expressions.
func (r *resolver) all(p path, nodes ...*node) []source.Value {
	var out []source.Value
	for _, n := range nodes {
		out = append(out, r.follow(n, p)...)
	}
	return out
}

// bound returns the values of a variable. Where a pattern names a struct and what is matched cannot be followed, they are those that all
// literals of the struct have there.
func (r *resolver) bound(use *node, found []binding, p path) []source.Value {
	var out []source.Value
	for _, b := range found {
		steps := append(append(path{}, b.path...), p...)
		var found []source.Value
		switch {
		case b.function != nil:
			found = r.passed(use, b.function, b.index, steps)
		case b.closure != nil:
			found = r.given(b.closure, b.index, steps)
		case b.value != nil:
			found = r.follow(b.value, steps)
		}
		if open := slices.ContainsFunc(found, func(v source.Value) bool { return !v.Known() }); open && b.of != "" && len(r.literals[b.of]) > 0 {
			found = nil
			for _, literal := range r.literals[b.of] {
				found = append(found, r.follow(literal, steps[b.depth:])...)
			}
		}
		out = append(out, found...)
	}
	return out
}

// passed returns the values that the callers of a function pass for a parameter.
func (r *resolver) passed(use *node, f *function, i int, p path) []source.Value {
	callers := r.callers(f)
	if len(callers) == 0 {
		v := unresolved(use)
		v.How = source.Open
		return []source.Value{v}
	}
	var out []source.Value
	for _, call := range callers {
		if a := f.argument(call, i); a != nil {
			out = append(out, r.follow(a, p)...)
		} else if d := f.fallback(i); d != nil {
			out = append(out, r.follow(d, p)...)
		} else {
			out = append(out, unresolved(call))
		}
	}
	return out
}

// returned returns the values that a function or closure with a body returns: those of its last expression, of each return and, as an
// error, of each question mark.
func (r *resolver) returned(body *node, p path) []source.Value {
	out := r.follow(body, p)
	fails := len(p) > 0 && p[0].matches("Err", 0)
	for n := range body.All(inner) {
		switch {
		case n.Is("return_expression", "return_statement"):
			if v := firstOf(n); v != nil {
				out = append(out, r.follow(v, p)...)
			}
		case n.Is("try_expression") && fails:
			out = append(out, r.follow(firstOf(n), p)...)
		}
	}
	return out
}

// inner reports whether a node is a function or closure of its own, whose return does not end the one around it.
func inner(n *node) bool {
	return n.Is("closure_expression", "function_item", "arrow_function", "function_expression", "function_declaration", "method_definition",
		"function_definition", "lambda", "class_declaration", "class_definition")
}

// constantOf returns the value of a constant, or a variant of an enumeration.
func (r *resolver) constantOf(n *node, name string, p path) ([]source.Value, bool) {
	of, base := last(name)
	in := r.fileOf(n)
	if full := in.uses[base]; of == "" && full != "" {
		of, base = last(full)
	}
	if all := r.constants[base]; len(all) > 0 {
		chosen := near(all, in, of, func(c *constant) (string, *file) { return c.of, c.file })
		var values []source.Value
		for _, c := range chosen {
			values = append(values, r.follow(c.value, p)...)
		}
		if values = unique(values); len(values) == 1 || len(chosen) == 1 {
			return values, true
		} else if len(values) > 1 {
			return []source.Value{unresolved(n)}, true // which one is meant is not known
		}
	}
	if of == "Self" {
		of = owner(n)
	}
	if r.enums[of][base] {
		if len(p) > 0 {
			return nil, true
		}
		v := unresolved(n)
		v.How, v.Text = variantValue, of+"."+base
		return []source.Value{v}, true
	}
	return nil, false
}

// fieldOf returns the values of a field in all literals of a struct.
func (r *resolver) fieldOf(typ, name string, p path) []source.Value {
	var out []source.Value
	for _, literal := range r.literals[typ] {
		out = append(out, r.follow(literal, p.below(field(name)))...)
	}
	return out
}
