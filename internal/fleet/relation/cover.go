// SPDX-License-Identifier: Apache-2.0

package relation

import "k8s.io/apimachinery/pkg/runtime/schema"

// Cover records that every object of a kind in a namespace is in the graph; the empty namespace means all, and is that of cluster-scoped
// kinds. An object that a well-known relation refers to is known to be missing only if its kind is covered. A graph without any such
// record, as one read from files, covers a kind in the namespaces of which it holds objects of that kind.
func (g *Graph) Cover(gk schema.GroupKind, namespace string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.covers[gk] == nil {
		g.covers[gk] = map[string]bool{}
	}
	g.covers[gk][namespace] = true
	g.version++
}

// Covers reports whether every object of a kind in a namespace is known to be in the graph.
func (g *Graph) Covers(gk schema.GroupKind, namespace string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.covers[gk][""] || g.covers[gk][namespace]
}

// Partial notes that more may exist than the graph holds, as long as no kind is covered: it is filled from a cluster. Otherwise such a
// graph holds all that exists.
func (g *Graph) Partial() { g.Cover(schema.GroupKind{}, "") }

// coversAny reports whether the graph is partial, or the objects of some kind are known to be in it.
func (g *Graph) coversAny() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.covers) > 0
}

// coversKind reports whether the objects of some kind are known to be in the graph.
func (g *Graph) coversKind() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.covers) > len(g.covers[schema.GroupKind{}])
}

// Version changes whenever the graph does.
func (g *Graph) Version() uint64 {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.version
}

// covered reports whether an object that is not in the graph does not exist.
func (g *Graph) covered(id ID) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.covers) > 0 {
		return g.covers[id.GroupKind][""] || g.covers[id.GroupKind][id.Namespace]
	}
	return g.holds(id)
}

// Holds reports whether the graph has an object of the kind and in the namespace of another one.
func (g *Graph) Holds(id ID) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.holds(id)
}

// holds is Holds while the lock is held.
func (g *Graph) holds(id ID) bool {
	return g.held[ID{GroupKind: id.GroupKind, Namespace: id.Namespace}] > 0
}

// clusterScoped reports whether the graph has objects of a kind, and none of them has a namespace.
func (g *Graph) clusterScoped(gk schema.GroupKind) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	namespaces := g.entries[gk]
	return len(namespaces) == 1 && len(namespaces[""]) > 0
}
