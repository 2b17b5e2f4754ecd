// SPDX-License-Identifier: Apache-2.0

package trustgraph

// Facts are the facts about a graph.
type Facts struct {
	Graph      Graph
	WriteError error // of the projection
}

// Judge turns facts into conditions. Edges that were dropped do not degrade the graph.
func Judge(p *Pass, f Facts) {
	if len(f.Graph.Vertices) == 0 {
		why := "no vertex is valid"
		if len(f.Graph.Dropped) > 0 {
			why += ": " + f.Graph.Dropped[0]
		}
		p.SpecInvalid("%s", why)
	}
	if f.WriteError != nil {
		p.Failed("%v", f.WriteError)
	}
	if len(f.Graph.Vertices) > 0 && f.WriteError == nil {
		p.Reconciled("%d vertices and %d edges, %d edges dropped", len(f.Graph.Vertices), len(f.Graph.Edges), f.Graph.Invalid)
	}
}
