// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"

	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/read/relation"
)

// changesOf returns a function that finds the edits before a cause. From a cluster it reads the objects whose edits may explain it again,
// with their managed fields, and the revisions of
// their releases; what cannot be read is left out, as the answer is right without it.
func changesOf(ctx context.Context, v *view.View) func(relation.Cause) []relation.Change {
	read := map[relation.ID]bool{}
	return func(c relation.Cause) []relation.Change {
		if v.Cluster == nil || v.Live != nil { // with --watch nothing is read besides what is watched
			return v.Walk.Changes(c)
		}
		again := func(ids []relation.ID) {
			for _, id := range ids {
				if !read[id] {
					read[id] = true
					v.Cluster.Again(ctx, v.Walk.Graph, id)
				}
			}
		}
		again(v.Walk.Edited(c))
		again(v.Walk.Edited(c)) // with the owners that were read now
		again(v.Walk.Released(c))
		return v.Walk.Changes(c)
	}
}
