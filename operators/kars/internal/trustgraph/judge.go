// SPDX-License-Identifier: Apache-2.0

package trustgraph

import (
	"fmt"

	"github.com/tristate/tristate/operator"
)

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
		operator.Report(why, p.Ready.SpecInvalid, p.Progressing.Failed, p.Degraded.SpecInvalid)
	}
	if f.WriteError != nil {
		operator.Report(f.WriteError.Error(), p.Ready.Failed, p.Progressing.Failed, p.Degraded.Failed)
	}
	if len(f.Graph.Vertices) > 0 && f.WriteError == nil {
		p.Ready.Reconciled(fmt.Sprintf("%d vertices and %d edges, %d edges dropped", len(f.Graph.Vertices), len(f.Graph.Edges), f.Graph.Invalid))
		operator.Report("", p.Progressing.Reconciled, p.Degraded.Reconciled)
	}
}
