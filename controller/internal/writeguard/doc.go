// SPDX-License-Identifier: Apache-2.0

// Package writeguard decides whether a controller may write an object: whether another manager holds its derived conditions, whether
// earlier writes lasted, and whose turn it is. It writes nothing itself, and only [Turns] waits.
//
//	refusal, refused := rivals.Refuse(id)
//	until, opened := breakers.Ask(id, now, hops)
//	unlock := turns.Lock(id)
package writeguard
