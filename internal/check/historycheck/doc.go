// SPDX-License-Identifier: Apache-2.0

// Package historycheck compares the observations of an object over time with the rules of change: when a transition time may move, what may
// not go back, what may not vanish, and how often a status is written.
//
// An observation follows the one before it in the input. Its time is the annotation tristate.dev/observed-at, and
// otherwise the latest time in its managed fields and conditions; rules about durations hold only where that is known.
// A removed and newly created object, recognised by its uid, starts again.
package historycheck
