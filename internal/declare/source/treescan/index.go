// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	slash "path"
	"regexp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/internal/declare/source/grammar"
)

type node = grammar.Node

// file is a file of code.
type file struct {
	name  string
	tree  *grammar.Tree
	parse func(text string) (*grammar.Tree, error)
	types map[string]bool // names of types that it mentions
	uses  map[string]string
}

// function is a function or method.
type function struct {
	name   string
	of     string // type or module that it belongs to; empty for a function of a file
	node   *node
	params []*node // without the receiver: patterns
	method bool    // the receiver is the first argument of a call by path
	file   *file
}

// constant is a constant of a module, type, object or enumeration.
type constant struct {
	name, of string
	value    *node
	file     *file
}

// index is what the files of a language define.
type index struct {
	language  string
	files     map[*grammar.Tree]*file
	order     []*file
	functions map[string][]*function
	of        map[*node]*function // by the node of the function
	constants map[string][]*constant
	calls     map[string][]*node // by the last part of the name that is called
	literals  map[string][]*node // of structs, by the last part of the name
	enums     map[string]map[string]bool
	fields    map[string]map[string]string // of structs: field to the name of its type
	macros    map[string]*node
	kinds     map[string]bool // of custom resources
}

func newIndex(language string) *index {
	return &index{language: language, files: map[*grammar.Tree]*file{}, functions: map[string][]*function{}, of: map[*node]*function{},
		constants: map[string][]*constant{}, calls: map[string][]*node{}, literals: map[string][]*node{}, enums: map[string]map[string]bool{},
		fields: map[string]map[string]string{}, macros: map[string]*node{}, kinds: map[string]bool{}}
}

// fileOf returns the file of a node, also of one in a fragment.
func (x *index) fileOf(n *node) *file {
	for n.Parent != nil {
		n = n.Parent
	}
	return x.files[n.Tree]
}

// screaming is the name of a constant as all three languages write it.
var screaming = regexp.MustCompile(`^[A-Z][A-Za-z0-9_]*$`)

// add adds a file.
func (x *index) add(f *file) {
	f.types, f.uses = map[string]bool{}, map[string]string{}
	x.files[f.tree] = f
	x.order = append(x.order, f)
}

// finish adds what the files define, and their calls and literals.
func (x *index) finish(scan *source.Scan) error {
	if x.language == "Rust" {
		if err := x.prepareRust(); err != nil {
			return err
		}
	}
	for _, f := range x.order {
		for n := range f.tree.Root.All(nil) {
			if x.language == "Rust" {
				x.addRustNode(f, n, scan)
			} else {
				x.addScriptNode(f, n, scan)
			}
		}
	}
	return nil
}

// define adds a constant; those with the value of a plain string are listed in the scan.
func (x *index) define(c *constant, scan *source.Scan) {
	x.constants[c.name] = append(x.constants[c.name], c)
	if text, ok := plain(c.value); ok && screaming.MatchString(c.name) && c.of == "" {
		scan.Consts = append(scan.Consts, source.Const{Position: at(c.value), Name: c.name, Value: text})
	}
}

// last returns the last part of a name, and the part before it: reason::FAILED is FAILED of reason.
func last(name string) (of, base string) {
	name = strings.ReplaceAll(name, "::", ".")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		of, base = name[:i], name[i+1:]
		return of[strings.LastIndexByte(of, '.')+1:], base
	}
	return "", name
}

// stem is the name of the module that a file is.
func (f *file) stem() string {
	base := strings.TrimSuffix(slash.Base(f.name), slash.Ext(f.name))
	if slices.Contains([]string{"mod", "lib", "main", "index", "__init__"}, base) {
		return slash.Base(slash.Dir(f.name))
	}
	return base
}

// near chooses the definitions that a name at a place means: those of the qualifier, or else those of the same file, or else the only ones
// there are. It returns none where several are possible.
func near[T any](all []T, in *file, qualifier string, of func(T) (string, *file)) []T {
	pick := func(ok func(owner string, f *file) bool) []T {
		return slices.DeleteFunc(slices.Clone(all), func(t T) bool { return !ok(of(t)) })
	}
	if qualifier != "" {
		if alias := in.uses[qualifier]; alias != "" {
			_, qualifier = last(alias)
		}
		owned := pick(func(owner string, f *file) bool { return owner == qualifier || owner == "" && f.stem() == qualifier })
		if here := slices.DeleteFunc(slices.Clone(owned), func(t T) bool { _, f := of(t); return f != in }); len(here) > 0 {
			return here
		}
		if len(owned) > 0 || !slices.Contains([]string{"self", "super", "crate", "this"}, qualifier) {
			return owned
		}
	}
	if here := pick(func(_ string, f *file) bool { return f == in }); len(here) > 0 {
		return here
	}
	return all
}

// plain returns the content of a string literal; false if a part of it is computed.
func plain(n *node) (string, bool) {
	for n.Is("parenthesized_expression", "as_expression", "satisfies_expression") && len(n.NamedChildren()) > 0 {
		n = n.NamedChildren()[0]
	}
	if !n.Is("string_literal", "raw_string_literal", "string", "template_string") {
		return "", false
	}
	var b strings.Builder
	for _, c := range n.Children {
		switch c.Kind {
		case "string_content", "string_fragment":
			b.WriteString(c.Text())
		case "interpolation", "template_substitution", "escape_sequence":
			return "", false
		}
	}
	return b.String(), true
}

// functionOf returns the function that a node is in; nil outside of functions.
func (x *index) functionOf(n *node) *function {
	for p := n.Parent; p != nil; p = p.Parent {
		if f := x.of[p]; f != nil {
			return f
		}
	}
	return nil
}

// called returns the functions that a call means.
func (x *index) called(call *node) []*function {
	name := callee(call)
	of, base := last(name)
	all := x.functions[base]
	if len(all) == 0 {
		return nil
	}
	in := x.fileOf(call)
	if full := in.uses[base]; of == "" && full != "" {
		of, base = last(full)
		if renamed := x.functions[base]; len(renamed) > 0 {
			all = renamed
		}
	}
	if of == "Self" || of == "self" || of == "this" || of == "cls" {
		if f := x.functionOf(call); f != nil && f.of != "" {
			of = f.of
		}
	} else if callee := call.Get("function"); callee.Is("field_expression", "member_expression", "attribute") {
		// A method: of the type of the receiver where that is known, otherwise of any type.
		all = slices.DeleteFunc(slices.Clone(all), func(f *function) bool { return f.of == "" && x.language == "Rust" })
		if of = x.typeOf(firstOf(callee)); of == "" {
			of, _ = last(name)
			if !slices.ContainsFunc(all, func(f *function) bool { return f.of == of || f.file.stem() == of }) {
				of = ""
			}
		}
	}
	return near(all, in, of, func(f *function) (string, *file) { return f.of, f.file })
}

// firstOf returns the first named child.
func firstOf(n *node) *node {
	if c := n.NamedChildren(); len(c) > 0 {
		return c[0]
	}
	return nil
}

// callee returns the name that a call calls, without type arguments: a::b::c, x.y.z.
func callee(call *node) string {
	f := call.Get("function")
	if f == nil {
		f = call.Get("constructor")
	}
	if f.Is("generic_function") {
		f = f.Get("function")
	}
	if f.Is("field_expression", "member_expression", "attribute") {
		of := firstOf(f)
		name := f.Get("field")
		if name == nil {
			name = f.Get("property")
		}
		if name == nil {
			name = f.Get("attribute")
		}
		if of.Is("identifier", "self", "this") {
			return of.Text() + "." + name.Text()
		}
		return "." + name.Text()
	}
	return strings.Join(strings.Fields(f.Text()), "")
}

// arguments returns the arguments of a call by position, and those with a name.
func arguments(call *node) (positional []*node, named map[string]*node) {
	named = map[string]*node{}
	for _, a := range call.Get("arguments").NamedChildren() {
		if a.Is("keyword_argument") {
			named[a.Get("name").Text()] = a.Get("value")
		} else if !a.Is("attribute_item") {
			positional = append(positional, a)
		}
	}
	return positional, named
}

// argument returns what a call passes for a parameter of a function; nil if it passes nothing.
func (f *function) argument(call *node, i int) *node {
	positional, named := arguments(call)
	if f.method && !call.Get("function").Is("field_expression", "member_expression", "attribute") {
		i++ // Type::method(receiver, ...)
	}
	if i < len(positional) {
		return positional[i]
	}
	if p := i; p < len(f.params) {
		return named[parameterName(f.params[p])]
	}
	return nil
}

func parameterName(pattern *node) string {
	for n := range pattern.All(nil) {
		if n.Is("identifier", "shorthand_property_identifier_pattern") {
			return n.Text()
		}
	}
	return ""
}

// callers returns the calls of a function.
func (x *index) callers(f *function) []*node {
	var out []*node
	for _, call := range x.calls[f.name] {
		if slices.Contains(x.called(call), f) {
			out = append(out, call)
		}
	}
	return out
}
