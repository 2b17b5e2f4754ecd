// SPDX-License-Identifier: Apache-2.0

// Package watchset has the watches of a controller: how kinds are served, and a watch for each that hands its objects on, pruned. It knows
// no catalog and writes nothing.
//
//	s := &watchset.Source{Kind: gk, Served: how, Sink: sink, Prune: fields.Prune}
//	s.Start(ctx, client)
package watchset
