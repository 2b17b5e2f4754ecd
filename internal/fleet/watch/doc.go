// SPDX-License-Identifier: Apache-2.0

// Package watch lists and watches the objects of one resource, and passes each to its user in the form that the user keeps. It keeps no
// object itself: a [Watch] is the store of a reflector of client-go.
//
//	w := &watch.Watch[string, entry]{Client: client, Resource: client.Resource(pods), Kind: "Pod", Read: read, Key: key,
//		Known: known, Put: put, Remove: remove, Listed: listed}
//	w.Run(ctx)
//
// # Rules
//
//  1. An object that is created or changed is passed to Put, one that is deleted or no longer selected to Remove. All calls come from one
//     goroutine.
//  2. A list replaces what is known: objects that are not in it are removed, before the others are put. Listed is called after each list.
//  3. While a list comes in, memory holds its objects as Read and Pack keep them, plus one page.
//
// The package decides nothing about errors: Answered is called with every answer to a list or watch request, and the reflector tries again.
package watch
