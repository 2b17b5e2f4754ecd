// SPDX-License-Identifier: Apache-2.0

// Package historycheck holds what was seen of an object over time to the rules of change: when a transition time may move, what may not go
// back, what may not vanish, and how often a status is written.
//
// An observation follows the one before it in the input. When it was made is what the annotation tristate.dev/observed-at says, and otherwise the
// latest time in its managed fields and conditions; rules about durations hold only where that is known. A removed and newly created object,
// told by its uid, starts anew.
package historycheck
