// SPDX-License-Identifier: Apache-2.0

package trustgraph

import "fmt"

// Facts are what a pass finds out about a graph.
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
		p.Ready.SpecInvalid(why)
		p.Progressing.Failed(why)
		p.Degraded.SpecInvalid(why)
	}
	if f.WriteError != nil {
		p.Ready.Failed(f.WriteError.Error())
		p.Progressing.Failed(f.WriteError.Error())
		p.Degraded.Failed(f.WriteError.Error())
	}
	if len(f.Graph.Vertices) > 0 && f.WriteError == nil {
		p.Ready.Reconciled(fmt.Sprintf("%d vertices and %d edges, %d edges dropped", len(f.Graph.Vertices), len(f.Graph.Edges), f.Graph.Invalid))
		p.Progressing.Reconciled("")
		p.Degraded.Reconciled("")
	}
}
