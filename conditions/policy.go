// SPDX-License-Identifier: Apache-2.0

package conditions

// Unreported is the policy of Commit for an owned type about which nothing was reported in this pass.
type Unreported string

// The policies for types that a pass did not reach.
const (
	UnreportedKeep    Unreported = "keep"    // the stored condition stays as it is, an absent one follows Presence
	UnreportedUnknown Unreported = "unknown" // becomes Unknown
	UnreportedFail    Unreported = "fail"    // Unknown, and an error in the result; for tests
)

// Lifecycle says how a condition may move. A condition that may not move keeps its status, reason and message,
// whatever is reported, and does not go stale. Its observedGeneration follows the object. [Pass.Remove] starts it
// again.
type Lifecycle string

// The lifecycles.
const (
	lifecycleLevel      Lifecycle = "level"      // follows the reports; also the zero value
	LifecycleMonotonic  Lifecycle = "monotonic"  // never back from True
	LifecycleTerminal   Lifecycle = "terminal"   // never changes once it is True
	LifecycleCompletion Lifecycle = "completion" // never changes once it is True or False: Succeeded of what runs to its end
	lifecyclePerRun     Lifecycle = "per-run"    // starts again with each run; a pass treats it as level
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
