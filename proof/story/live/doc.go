// SPDX-License-Identifier: Apache-2.0

// Package live runs stories on a real API server with Tristate at work.
//
//	w, err := live.New(live.Options{Config: config, Catalogs: set, Namespace: "story-1", Controller: controller})
//	...
//	err = (&story.Runner{World: w}).Run(ctx, s)
//
// # Rules
//
//  1. A story has a namespace to itself. It calls it "default": names are translated on the way in and out, in references too.
//  2. Leaf conditions are written as providers would: each type under a field manager of its own, by server-side apply where the
//     conditions of the kind are a list map, by a merge patch with the resource version otherwise.
//  3. Settle waits for facts, never for time: until the controller is idle (where there is one), the derived conditions of all objects
//     are up to date, and the garbage collector has no object left to delete. It waits as long as its context lasts; the error then
//     names the missing facts.
//  4. Writes counts changes of derived conditions on watches, without help of the controller, or the requests that [Options.Writes] counts.
//  5. Sleep does nothing: stories that need the clock are skipped.
package live
