// SPDX-License-Identifier: Apache-2.0

// Package controller keeps the derived conditions of a cluster: it watches, derives and applies.
//
//	reflector per kind ── prune ──> relation.Graph ── affected ──> queue by rank ──> derive ── changed ──> apply
//	                                      ^                                                                  │
//	                                      └───────────────────────── the answer of the API server ───────────┘
//
// # Rules
//
//  1. It watches the kinds that its catalogs name, those that their relations lead to, and those that objects refer to. A kind
//     whose definition arrives later is picked up, one that goes is dropped with its objects.
//  2. It keeps of each object only what the catalogs refer to, once. No request is made per event but the write itself.
//  3. It writes the derived conditions of kinds under its management, and nothing else, and none that another manager writes: see
//     docs/running.md. A changed pass makes one write, an unchanged pass makes no write.
//  4. Kinds are judged bottom up: an object waits while kinds that it depends on are still being judged, at most half a second.
//  5. An object is not judged before the catalogs of the cluster are known and the kinds that it depends on are listed: an object that
//     was not read yet does not count as missing. A kind that is not served has no objects. Where nothing changed, a start makes one pass
//     over each object.
//  6. A failure of one object, one kind or one catalog is logged, counted and shown in /healthz?verbose, and stops nothing else.
//     Failed writes are tried again after a growing delay.
//  7. ConditionCatalog objects are catalogs too. A bad one gets condition Accepted=False; one for a kind that a file declares
//     is in conflict. Catalogs may come and go while the controller runs.
//  8. Events and metrics come after a write succeeded.
//
// # Locks
//
// From the outermost inwards; who holds one takes only those below it.
//
//	gate          what a pass may rest on: read while facts are gathered, written while catalogs and watches change
//	storing       one step of comparing an object with the stored one and storing it
//	Controller    catalogs, watches and notes: held to look up or to replace one, never while another lock is waited for
//	a room's own  queue, kinds, watch, writeguard, catalogs: each guards its own maps and calls nothing that locks
//
// A turn of writing is held during a request, with no other lock.
//
// It needs the verbs that [Rules] lists and no others.
package controller
