// SPDX-License-Identifier: Apache-2.0

// Package writeguard decides whether a controller may write an object: whether another manager holds its derived conditions, and whether
// earlier writes lasted. It writes nothing itself, and never waits.
//
//	refusal, refused := rivals.Refuse(id)
//	until, opened := breakers.Ask(id, now, hops)
package writeguard
