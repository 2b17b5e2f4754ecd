// SPDX-License-Identifier: Apache-2.0

// Package feed makes the sources of rows for commands that serve them, the clusters of contexts and files, and serves the page to whoever
// has the address that it prints. It also chooses the folder of the history of a cluster.
//
//	err := feed.Clusters(ctx, fleet, v, feed.Options{History: dir})
//	err = feed.Serve(ctx, a, fleet, feed.Page{Address: "127.0.0.1:0"})
package feed
