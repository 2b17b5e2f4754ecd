// SPDX-License-Identifier: Apache-2.0

// Package apply writes the conditions of a changed pass to the API server.
//
//	written, err := writer.Apply(ctx, target, id, result)
//
// # Rules
//
//  1. An unchanged pass sends nothing. A changed one sends one server-side apply of the status: the owned conditions and, if given,
//     other owned status fields together. It forces, so that conditions which another manager wrote by Update become ours.
//  2. Where the conditions list of the kind is not a map keyed by type, an apply would replace what others wrote. Then the latest object
//     is read, our entries are replaced in its list, and a merge patch with its resource version is sent; after a conflict this
//     starts over from a live read, up to [Attempts] times.
//  3. A type of ours that is no longer reported goes with the apply. If it is still there afterwards, because another manager shares it
//     (or under an alias), it is taken out as in rule 2: one more request, once.
//  4. An object that is gone, or was made anew under the same name, is no error: nothing is written.
//  5. What the API server refuses is an [*Error] that names the object and the conditions; nothing is sent again by itself.
//
// The object that the API server answers with is returned, so that the caller need not wait for its watch to read its own write.
package apply
