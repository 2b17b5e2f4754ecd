// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// TreeOptions choose what of a tree is shown.
type TreeOptions struct {
	Depth         int    // levels below the root; 0: along the way to the causes
	Group         string // the members of one group of the root, instead
	Offset, Limit int    // of the members
	Up            bool   // the owners and the objects that refer to it, instead of those below it
}

const (
	equalFrom        = 4 // that many equal healthy children are joined
	mostNamesInGroup = 5
	// waiting is how long an answer waits for kinds that are read for it.
	waiting = 5 * time.Second
)

// await follows the kinds below an object and waits until they were read, for a while.
func (s *Source) await(ctx context.Context, id relation.ID) {
	ctx, stop := context.WithTimeout(ctx, waiting)
	defer stop()
	switch {
	case s.whole != nil:
		s.awaitPart(ctx, id)
		return
	case s.roots.Cache == nil || s.Light:
		return
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		s.renew()
		s.roots.Cache.Widen([]relation.ID{id})
		done := s.roots.Cache.Read()
		s.mu.Unlock()
		s.state.Lock()
		progressed := s.progressed
		s.state.Unlock()
		if done {
			return
		}
		select {
		case <-progressed:
		case <-ctx.Done():
		}
	}
}

// build returns the tree of an object by the verdicts of now; nil if there is no such object. The lock must be held.
func (s *Source) build(id relation.ID, up bool) *relation.Node {
	s.walk.Renew(s.Judge())
	v := s.walk
	if up {
		v = &relation.View{Graph: s.Graph, Judge: s.walk.Judge, Up: true, Candidates: s.walk.Candidates, Most: mostInTree, Fine: s.fine}
	}
	defer v.Release()
	return v.Build(id)
}

// Tree returns the tree of an object; false if the fleet does not have it.
func (f *Fleet) Tree(ctx context.Context, s *Source, id relation.ID, o TreeOptions) (api.Tree, bool) {
	s.await(ctx, id)
	s.mu.Lock()
	root := s.build(id, o.Up)
	s.mu.Unlock()
	if root == nil {
		return api.Tree{}, false
	}
	b := &treeBuilder{source: s, options: o, onPath: map[*relation.Node]bool{}, below: map[*relation.Node]int{}}
	causes := relation.Causes(root)
	if len(causes) == 0 {
		causes = relation.Contradictions(root)
	}
	var ids []string
	for _, c := range causes {
		for _, n := range c.Chain {
			b.onPath[n] = true
		}
		ids = append(ids, s.id(c.Node.ID))
	}
	b.count(root)
	b.add(root, "0", "", 0)
	b.out.Nodes[0].Causes = ids
	b.out.Now, b.out.Unread, b.out.Hidden = f.Clock(), f.Unread(), f.hidden()
	return b.out, true
}

// treeBuilder makes the answer of a tree.
type treeBuilder struct {
	source  *Source
	options TreeOptions
	onPath  map[*relation.Node]bool
	below   map[*relation.Node]int // unhealthy objects
	out     api.Tree
}

// count counts the unhealthy objects below each node, and returns that number with the node itself.
func (b *treeBuilder) count(n *relation.Node) int {
	sum := 0
	for _, child := range n.Children {
		sum += b.count(child)
	}
	b.below[n] = sum
	if !n.Judgement.Fine() && !n.Again {
		sum++
	}
	return sum
}

// add adds a node with the children that are shown.
func (b *treeBuilder) add(n *relation.Node, key, parent string, depth int) {
	node := api.TreeNode{Key: key, Parent: parent, Relation: n.Edge, Missing: n.Missing(), Again: n.Again, Unhealthy: b.below[n],
		OnPath: b.onPath[n]}
	row := b.source.nodeRow(n)
	node.Row, node.Children, node.Left = &row, len(n.Children), n.Left
	if n.Cut { // whoever opens it sees whether there are any
		node.Children = 1
		b.out.Nodes = append(b.out.Nodes, node)
		return
	}
	open := !n.Again && (depth < b.options.Depth || b.options.Depth == 0 && (depth == 0 || b.onPath[n]))
	node.Open = open && len(n.Children) > 0
	b.out.Nodes = append(b.out.Nodes, node)
	if !open {
		return
	}
	if b.options.Group != "" && depth == 0 {
		b.members(n, key)
		return
	}
	groups := map[string][]*relation.Node{}
	for _, child := range n.Children {
		if b.joins(child) {
			groups[groupKey(child)] = append(groups[groupKey(child)], child)
		}
	}
	index := 0
	for _, child := range n.Children {
		group := groupKey(child)
		members := groups[group]
		if len(members) < equalFrom || !b.joins(child) {
			b.add(child, key+"."+strconv.Itoa(index), key, depth+1)
			index++
			continue
		}
		if members[0] != child {
			continue
		}
		g := &api.Group{Kind: child.GroupKind.String(), Verdict: child.Answer().Verdict, Reason: child.Answer().Reason, Count: len(members),
			Open: group}
		for _, m := range members[:min(len(members), mostNamesInGroup)] {
			g.IDs = append(g.IDs, b.source.id(m.ID))
		}
		bad := 0
		for _, m := range members {
			bad += b.below[m]
			if !m.Judgement.Fine() {
				bad++
			}
		}
		b.out.Nodes = append(b.out.Nodes, api.TreeNode{Key: fmt.Sprintf("%s.g%d", key, index), Parent: key, Relation: child.Edge, Group: g,
			Unhealthy: bad})
		index++
	}
}

// joins reports whether a child may be joined with its equals: it exists, and is not on the way to a cause.
func (b *treeBuilder) joins(n *relation.Node) bool {
	return !b.onPath[n] && !n.Missing()
}

// groupKey is the same for children that are joined.
func groupKey(n *relation.Node) string {
	return n.GroupKind.String() + "|" + string(n.Answer().Verdict) + "|" + n.Answer().Reason + "|" + n.Edge
}

// members adds a part of the members of a group.
func (b *treeBuilder) members(n *relation.Node, key string) {
	index := 0
	for _, child := range n.Children {
		if groupKey(child) != b.options.Group || !b.joins(child) {
			continue
		}
		if index >= b.options.Offset && index < b.options.Offset+b.options.Limit {
			row := b.source.nodeRow(child)
			b.out.Nodes = append(b.out.Nodes, api.TreeNode{Key: key + ".m" + strconv.Itoa(index), Parent: key, Relation: child.Edge, Row: &row,
				Again:    child.Again,
				Children: len(child.Children), Unhealthy: b.below[child]})
		}
		index++
	}
}

// nodeRow returns an object of a tree as a row.
func (s *Source) nodeRow(n *relation.Node) api.Row {
	var r *Row
	if n.Object != nil {
		r = s.rowOf(n.Object, n.Answer())
		if known := s.fleet.Get(s, n.ID); known != nil {
			r.cause, r.Flapping = known.cause, known.Flapping
		}
	} else {
		r = s.judgedRow(n.ID, "", n.Judgement)
	}
	return r.api()
}
