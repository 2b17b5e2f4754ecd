// SPDX-License-Identifier: Apache-2.0

package treescan

import (
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// A macro has no syntax before it is expanded: the grammar has a tree of tokens. Those that can hold a condition are parsed as what they
// become: json! as objects, rules of this program as the text that they produce, all others as a list of expressions. What was parsed
// becomes a child of the macro, so that names in it mean what they mean at its place.

// texts are macros whose arguments are only printed.
var texts = []string{"format", "println", "eprintln", "print", "write", "writeln", "panic", "info", "warn", "error", "debug", "trace",
	"bail", "anyhow", "unreachable",
	"todo", "unimplemented", "assert", "assert_eq", "assert_ne", "debug_assert", "concat", "matches", "cfg", "include_str", "env", "ensure",
	"instrument", "span"}

const (
	expressionBefore = "fn f() { ["
	expressionAfter  = "] }"
	blockBefore      = "fn f() {"
	blockAfter       = "}"
)

// expand adds what a macro becomes.
func (f *file) expand(n *node, rules map[string]*node) error {
	_, name := last(n.Get("macro").Text())
	tokens := lastOf(n)
	if !tokens.Is("token_tree") || slices.Contains(texts, name) {
		return nil
	}
	switch {
	case name == "json":
		return f.json(n, inside(tokens))
	case rules[name] != nil:
		if text, ok := produce(rules[name], tokens); ok {
			return f.adopt(n, text, 0, true)
		}
		return nil
	}
	if text := tokens.Text(); name == "vec" || strings.Contains(text, "reason") || strings.Contains(text, "Condition") {
		return f.adopt(n, text[1:len(text)-1], tokens.Start+1, false)
	}
	return nil
}

// adopt parses a text that was cut at an offset and makes it a child of a macro. A text that a rule produced may be statements.
func (f *file) adopt(n *node, text string, offset int, statements bool) error {
	for _, form := range [][2]string{{expressionBefore, expressionAfter}, {blockBefore, blockAfter}} {
		tree, err := f.parse(form[0] + text + form[1])
		if err != nil {
			return err
		}
		if tree.Broken > 0 {
			continue
		}
		function := firstOf(tree.Root)
		root := function.Get("body")
		if form[0] == expressionBefore {
			root = firstOf(root)
		}
		if root == nil || !statements && root.Is("block") {
			return nil
		}
		if statements {
			n.AdoptMade(tree, root)
		} else {
			n.Adopt(tree, root, offset, len(form[0]))
		}
		for m := range root.All(nil) {
			if m.Is("macro_invocation") && !statements {
				if err := f.expand(m, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return nil
}

// inside returns the tokens between the brackets of a tree of tokens.
func inside(tokens *node) []*node {
	if len(tokens.Children) < 2 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tokens.Children[1:len(tokens.Children)-1]),
		func(n *node) bool { return strings.HasSuffix(n.Kind, "comment") })
}

// split cuts tokens at the commas between them.
func split(tokens []*node) [][]*node {
	var out [][]*node
	from := 0
	for i, t := range tokens {
		if t.Kind == "," {
			out = append(out, tokens[from:i])
			from = i + 1
		}
	}
	if from < len(tokens) {
		out = append(out, tokens[from:])
	}
	return out
}

// json adds the value that tokens of json! mean: objects and lists as nodes of their own, all else as expressions.
func (f *file) json(parent *node, tokens []*node) error {
	if len(tokens) == 0 {
		return nil
	}
	if len(tokens) == 1 && tokens[0].Is("token_tree") && !strings.HasPrefix(tokens[0].Text(), "(") {
		kind := "json_list"
		if strings.HasPrefix(tokens[0].Text(), "{") {
			kind = "json_object"
		}
		object := &node{Kind: kind, Named: true, Start: tokens[0].Start, End: tokens[0].End, Parent: parent, Tree: tokens[0].Tree}
		parent.Children = append(parent.Children, object)
		for _, entry := range split(inside(tokens[0])) {
			if kind == "json_list" {
				if err := f.json(object, entry); err != nil {
					return err
				}
				continue
			}
			if len(entry) < 3 || entry[1].Kind != ":" {
				continue
			}
			key, ok := plain(entry[0])
			if !ok {
				continue
			}
			pair := &node{Kind: "json_pair", Field: key, Named: true, Start: entry[0].Start, End: entry[len(entry)-1].End, Parent: object,
				Tree: object.Tree}
			object.Children = append(object.Children, pair)
			if err := f.json(pair, entry[2:]); err != nil {
				return err
			}
		}
		return nil
	}
	from, to := tokens[0].Start, tokens[len(tokens)-1].End
	tree, err := f.parse(expressionBefore + tokens[0].Tree.Text[from:to] + expressionAfter)
	if err != nil || tree.Broken > 0 {
		return err
	}
	if root := firstOf(firstOf(firstOf(tree.Root).Get("body"))); root != nil {
		parent.Adopt(tree, root, from, len(expressionBefore))
	}
	return nil
}

// produce returns the text that the first fitting rule of a macro makes of tokens. Rules with repetitions are not followed.
func produce(macro, tokens *node) (string, bool) {
	given := split(inside(tokens))
	for _, rule := range macro.NamedChildren() {
		left, right := rule.Get("left"), rule.Get("right")
		if !rule.Is("macro_rule") || strings.Contains(left.Text(), "$(") || strings.Contains(right.Text(), "$(") {
			continue
		}
		wanted := split(inside(left))
		if len(wanted) != len(given) {
			continue
		}
		names := map[string]string{}
		fits := true
		for i := range wanted {
			fits = fits && capture(wanted[i], given[i], names)
		}
		if !fits {
			continue
		}
		text := right.Text()
		text = text[1 : len(text)-1]
		var b strings.Builder
		from := 0
		for n := range right.All(nil) {
			if v, ok := names[strings.TrimPrefix(n.Text(), "$")]; ok && n.Is("metavariable") {
				at := n.Start - right.Start - 1
				b.WriteString(text[from:at] + v)
				from = at + n.End - n.Start
			}
		}
		return b.String() + text[from:], true
	}
	return "", false
}

// capture matches the tokens between two commas of a rule, such as type = $t:expr, with those of a call.
func capture(wanted, given []*node, names map[string]string) bool {
	for i, w := range wanted {
		if w.Is("token_binding_pattern") {
			if i >= len(given) {
				return false
			}
			rest := len(wanted) - i - 1
			end := len(given) - rest
			if end <= i || rest > 0 && i+1 != end {
				return false
			}
			names[strings.TrimPrefix(w.Get("name").Text(), "$")] = given[i].Tree.Text[given[i].Start:given[end-1].End]
			if rest == 0 {
				return true
			}
			continue
		}
		if i >= len(given) || given[i].Text() != w.Text() {
			return false
		}
	}
	return len(wanted) == len(given)
}

// macro follows the value of a macro.
func (r *resolver) macro(n *node, p path) []source.Value {
	_, name := last(n.Get("macro").Text())
	var adopted *node
	for _, c := range n.Children {
		if c.Tree != n.Tree || strings.HasPrefix(c.Kind, "json_") {
			adopted = c
		}
	}
	switch {
	case slices.Contains([]string{"panic", "unreachable", "todo", "unimplemented", "bail"}, name):
		return nil
	case name == "format" || name == "concat":
		v := unresolved(n)
		v.How = source.Computed
		return []source.Value{v}
	case adopted == nil:
	case name == "vec":
		return r.follow(adopted, p)
	case adopted.Is("array_expression") && r.macros[name] != nil:
		return r.follow(lastOf(adopted), p)
	default:
		return r.follow(adopted, p)
	}
	return []source.Value{unresolved(n)}
}
