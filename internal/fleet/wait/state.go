// SPDX-License-Identifier: Apache-2.0

package wait

import "time"

// Facts are the results of the expressions of a wait on one object.
type Facts struct {
	// Met: every expression of --for holds. Failed: one of --fail holds.
	Met, Failed bool
	// Grace is how long Failed must hold before it counts.
	Grace time.Duration
	// Missing: it does not exist. Unknown: it cannot be judged.
	Missing, Unknown bool
	// Generation is that of the object; 0 where it has none or does not exist.
	Generation int64
	// Progress differs from the last one if a change of the object is progress, see [Fingerprint].
	Progress uint64
}

// State is how far one object is.
type State string

// The states.
const (
	Pending   State = "pending"   // not met yet
	Steadying State = "steadying" // met, not yet for long enough
	Met       State = "met"
	Failing   State = "failing"    // failed, not yet for long enough
	Failed    State = "failed"     // failed
	Late      State = "late"       // not met before its own timeout
	Missing   State = "missing"    // does not exist, and should
	Replaced  State = "superseded" // its generation moved on, see [Goal.Superseded]
	Unknown   State = "unknown"    // it cannot be judged
	Hidden    State = "hidden"     // it may not be read
)

// Outcome is how a wait ended.
type Outcome string

// The outcomes.
const (
	Waiting     Outcome = "Waiting"     // it goes on
	Reached     Outcome = "Met"         // the goal is reached
	Broken      Outcome = "Failed"      // an object that is needed has failed
	TimedOut    Outcome = "TimedOut"    // the time is up, for all or for one object that is needed
	Stuck       Outcome = "Stuck"       // nothing has changed for too long
	Superseded  Outcome = "Superseded"  // the generation of an object that is needed moved on: this wait was for another one
	NotFound    Outcome = "NotFound"    // none of the remaining objects exists
	Unknowable  Outcome = "Unknown"     // all objects that are not met cannot be judged or may not be read
	Unreachable Outcome = "Unreachable" // the time is up, and the objects that are not met could not be read, or not lately
	Interrupted Outcome = "Interrupted" // by the user; no Machine decides it
)

// Serving is whether the kind of a target can be read.
type Serving int

// The servings.
const (
	Loading   Serving = iota // the first list is not in
	Served                   // the first list is in
	NotServed                // the server does not have the kind (yet)
	Forbidden                // it may not be read
	Trouble                  // it cannot be read, or not any more; it is tried again. Facts may be out of date
)

// Decision is the answer of a Machine.
type Decision struct {
	Outcome Outcome
	// Next is when to call Decide again even if nothing changes; zero for never.
	Next time.Time
	// Total is how many objects are known, Needed how many of them must be met; Met and Failed are so now.
	Total, Needed, Met, Failed int
	// Why is the reason for the end of the wait, in a few words; empty while it goes on and if the goal is reached.
	Why string
}

// Status is how far one object is, for a report.
type Status struct {
	Target Target
	Key    string
	State  State
}
