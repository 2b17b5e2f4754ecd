// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"slices"

	"github.com/tristate/tristate/internal/read/cluster"
	"github.com/tristate/tristate/internal/read/relation"
)

// Counted reads the children that count in the verdicts about some objects of the graph, and nothing else. Errors about children are added
// to Unread. That objects which only decide which children count, or endpoints, may not be read is no error: then the children count, and a
// Service is judged alone.
func (v *View) Counted(ctx context.Context, ids []relation.ID) {
	if len(ids) == 0 {
		return
	}
	v.Walk.Counting = true
	failed := v.Cluster.Related(ctx, v.Walk, ids)
	v.Walk.Counting = false
	aside := map[string]bool{"endpointslices.discovery.k8s.io": true, "services": true} // without them a Service is judged alone
	for _, id := range ids {
		o := v.Walk.Graph.Get(id)
		if o == nil {
			continue
		}
		if counting := v.Walk.Judge(o).Counting; counting != nil {
			for _, l := range counting.Reads() {
				if m, err := v.Cluster.Served.RESTMapping(l.Target); err == nil {
					aside[m.Resource.GroupResource().String()] = true
				}
			}
		}
	}
	v.Unread = append(v.Unread, slices.DeleteFunc(failed, func(err *cluster.Error) bool { return aside[err.Resource] && err.Steady() })...)
}
