// SPDX-License-Identifier: Apache-2.0

package grammar

import (
	"context"
	"iter"
	"strings"
)

// Tree is a parsed text.
type Tree struct {
	Name    string // of the file; the parser leaves it empty
	Text    string
	Root    *Node
	Broken  int // number of places that the grammar does not accept
	offsets []int32
	lines   []int // offsets at which lines begin
	outer   *Tree // of a fragment: the text that it was cut from
	shift   int   // and how much later its offsets are there
	made    bool  // its text is not in outer: every place is the one at shift
}

// Node is a node of the tree, of a kind that the grammar names: expressions, declarations and names are named nodes, tokens such as "+"
// are not. Comments are nodes, too.
type Node struct {
	Kind       string
	Field      string // which part of the parent it is; often empty
	Named      bool
	Start, End int // offsets in bytes
	Parent     *Node
	Children   []*Node
	Tree       *Tree
}

// Text returns the text of a node; empty for nil.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return n.Tree.Text[n.Start:n.End]
}

// Position returns the file, the line and the column at which a node begins. Lines and columns begin at 1; columns count bytes.
func (n *Node) Position() (file string, line, column int) {
	t, offset := n.Tree, n.Start
	for ; t.outer != nil; t = t.outer {
		if t.made {
			offset = 0
		}
		offset += t.shift
	}
	line, column = t.position(max(offset, 0))
	return t.Name, line, column
}

// Adopt makes the tree of a fragment a child of a node: the text of the fragment was cut at an offset of the text of the node, where
// before bytes were put before it.
func (n *Node) Adopt(fragment *Tree, root *Node, at, before int) {
	fragment.outer, fragment.shift = n.Tree, at-before
	root.Parent = n
	n.Children = append(n.Children, root)
}

// AdoptMade makes the tree of a text that is written nowhere a child of a node, whose place is the place of all of it.
func (n *Node) AdoptMade(fragment *Tree, root *Node) {
	n.Adopt(fragment, root, n.Start, 0)
	fragment.made = true
}

func (t *Tree) position(offset int) (line, column int) {
	if t.lines == nil {
		t.lines = []int{0}
		for i := range t.Text {
			if t.Text[i] == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	low, high := 0, len(t.lines)
	for low+1 < high {
		if mid := (low + high) / 2; t.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	return low + 1, offset - t.lines[low] + 1
}

// Get returns the first child that is a part; nil if there is none.
func (n *Node) Get(field string) *Node {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Field == field {
			return c
		}
	}
	return nil
}

// Is reports whether a node has one of the kinds; nil has none.
func (n *Node) Is(kinds ...string) bool {
	if n == nil {
		return false
	}
	for _, k := range kinds {
		if n.Kind == k {
			return true
		}
	}
	return false
}

// NamedChildren returns the named children, without comments.
func (n *Node) NamedChildren() []*Node {
	if n == nil {
		return nil
	}
	var out []*Node
	for _, c := range n.Children {
		if c.Named && !strings.HasSuffix(c.Kind, "comment") {
			out = append(out, c)
		}
	}
	return out
}

// All returns a node and all below it, parents first, in the order of the text. It does not go into a node for which skip is true.
func (n *Node) All(skip func(*Node) bool) iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.each(skip, yield) }
}

func (n *Node) each(skip func(*Node) bool, yield func(*Node) bool) bool {
	if n == nil || skip != nil && skip(n) {
		return true
	}
	if !yield(n) {
		return false
	}
	for _, c := range n.Children {
		if !c.each(skip, yield) {
			return false
		}
	}
	return true
}

// Within returns the innermost ancestor of one of the kinds, or nil.
func (n *Node) Within(kinds ...string) *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Is(kinds...) {
			return p
		}
	}
	return nil
}

// walk copies a tree out of the machine. The cursor is in the buffer of the parser.
type walk struct {
	*Parser
	language *language
	tree     *Tree
	address  uint64
	depth    int
}

// maxDepth bounds the recursion of this package and of those that read its trees; deeper parts are left out and count as broken.
const maxDepth = 500

func (w *walk) node(ctx context.Context, parent *Node) (*Node, error) {
	get := func(name string) (uint64, error) { return w.call(ctx, name, w.address) }
	id, err := get("ts_tree_cursor_current_node_type_id_wasm")
	if err != nil {
		return nil, err
	}
	k, err := w.kind(ctx, w.language, id)
	if err != nil {
		return nil, err
	}
	fieldID, err := get("ts_tree_cursor_current_field_id_wasm")
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: k.name, Named: k.named, Parent: parent, Tree: w.tree}
	if n.Field, err = w.field(ctx, w.language, fieldID); err != nil {
		return nil, err
	}
	start, err := get("ts_tree_cursor_start_index_wasm")
	if err != nil {
		return nil, err
	}
	end, err := get("ts_tree_cursor_end_index_wasm")
	if err != nil {
		return nil, err
	}
	n.Start, n.End = w.tree.offset(start), w.tree.offset(end)
	if k.name == "ERROR" {
		w.tree.Broken++
	}
	if w.depth++; w.depth > maxDepth {
		w.tree.Broken++
		w.depth--
		return n, nil
	}
	defer func() { w.depth-- }()
	more, err := get("ts_tree_cursor_goto_first_child_wasm")
	if err != nil || more == 0 {
		return n, err
	}
	for more != 0 {
		child, err := w.node(ctx, n)
		if err != nil {
			return nil, err
		}
		n.Children = append(n.Children, child)
		if more, err = get("ts_tree_cursor_goto_next_sibling_wasm"); err != nil {
			return nil, err
		}
	}
	_, err = get("ts_tree_cursor_goto_parent_wasm")
	return n, err
}

func (t *Tree) offset(unit uint64) int {
	if t.offsets == nil {
		return min(int(unit), len(t.Text))
	}
	return int(t.offsets[min(int(unit), len(t.offsets)-1)])
}
