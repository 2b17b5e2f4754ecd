// SPDX-License-Identifier: Apache-2.0

package conditions

import "time"

// NotReached is the policy of Commit for an owned type about which nothing was reported in this pass.
type NotReached string

// The policies for types that a pass did not reach.
const (
	NotReachedKeep    NotReached = "keep"    // the stored condition stays as it is, an absent one follows Presence
	NotReachedUnknown NotReached = "unknown" // becomes Unknown
	NotReachedFail    NotReached = "fail"    // Unknown, and an error in the result; for tests
)

// Lifecycle says how a condition may move. One that may not move keeps its status, reason and message, whatever is reported, and
// does not go stale; its observedGeneration follows. [Pass.Retract] begins it anew.
type Lifecycle string

// The lifecycles.
const (
	lifecycleLevel      Lifecycle = "level"      // follows what is reported; the zero value, too
	LifecycleMonotonic  Lifecycle = "monotonic"  // never back from True
	LifecycleTerminal   Lifecycle = "terminal"   // never changes once it is True
	LifecycleCompletion Lifecycle = "completion" // never changes once it is True or False: Succeeded of what runs to its end
	lifecyclePerRun     Lifecycle = "per-run"    // begins anew with each run; for a pass the same as level
)

// final reports whether a condition of the status moves no more, at least not to the next one.
func (l Lifecycle) final(stored, next Status) bool {
	switch l {
	case LifecycleMonotonic:
		return stored == True && next != True
	case LifecycleTerminal:
		return stored == True
	case LifecycleCompletion:
		return stored == True || stored == False
	}
	return false
}

// Churn says when a condition is rewritten too often because of its message alone: more than Writes times within Window.
// The pass needs a [State] to notice. [Result.Churning] names the types; with Hold the stored message stays until the window
// has room again, and [Result.RequeueAt] says when.
type Churn struct {
	Writes int
	Window time.Duration
	Hold   bool
}
