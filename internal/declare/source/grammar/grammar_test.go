// SPDX-License-Identifier: Apache-2.0

package grammar

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown returns the named nodes in brackets, as the tools of Tree-sitter print them.
func shown(n *Node) string {
	out := "(" + n.Kind
	if n.Field != "" {
		out = n.Field + ": " + out
	}
	for _, c := range n.Children {
		if c.Named {
			out += " " + shown(c)
		}
	}
	return out + ")"
}

func TestParse(t *testing.T) {
	p, err := New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close(t.Context()) })
	for name, test := range map[string]struct {
		language Language
		text     string
		want     string
	}{
		"rust": {Rust, `const X: &str = "é𝄞"; static Y: u8 = 1;`,
			"(source_file (const_item name: (identifier) type: (reference_type type: (primitive_type)) value: (string_literal (string_content))) " +
				"(static_item name: (identifier) type: (primitive_type) value: (integer_literal)))"},
		"python": {Python, "def f():\n    return 'a'\n",
			"(module (function_definition name: (identifier) parameters: (parameters) body: (block (return_statement (string (string_start) (string_content) (string_end))))))"},
		"typescript": {TypeScript, "const x: string = `a`;",
			"(program (lexical_declaration (variable_declarator name: (identifier) type: (type_annotation (predefined_type)) value: (template_string (string_fragment)))))"},
		"tsx": {TSX, "const x = <b>a</b>;",
			"(program (lexical_declaration (variable_declarator name: (identifier) value: (jsx_element open_tag: (jsx_opening_element name: (identifier)) " +
				"(jsx_text) close_tag: (jsx_closing_element name: (identifier))))))"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := p.Parse(t.Context(), test.language, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, shown(tree.Root)); diff != "" || tree.Broken > 0 {
				t.Errorf("%d broken; -want +got\n%s", tree.Broken, diff)
			}
			for n := range tree.Root.All(nil) { // offsets are those of the text, also behind characters of several bytes
				if n.Kind == "integer_literal" && n.Text() != "1" {
					t.Errorf("the literal is %q", n.Text())
				}
			}
		})
	}
}

// TestHostile: any text has a tree, in bounded depth.
func TestHostile(t *testing.T) {
	p, err := New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close(t.Context()) })
	for name, text := range map[string]string{
		"empty":      "",
		"no text":    "\x00\xff\xfe const",
		"unfinished": `fn f() { Condition { reason: "`,
		"nested":     strings.Repeat("(", 20000),
		"blocks":     strings.Repeat("fn f() { ", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := p.Parse(t.Context(), Rust, text)
			if err != nil {
				t.Fatal(err)
			}
			for n := range tree.Root.All(nil) {
				_ = n.Text()
				_, _, _ = n.Position()
			}
			if name != "empty" && tree.Broken == 0 {
				t.Error("no place is broken")
			}
		})
	}
}
