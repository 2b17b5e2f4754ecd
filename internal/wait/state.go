// SPDX-License-Identifier: Apache-2.0

package wait

import "time"

// Facts is what was seen of an object.
type Facts struct {
	// Met: it is what is waited for. Failed: it is what the wait must not go on for.
	Met, Failed bool
	// Grace is how long Failed must hold before it counts.
	Grace time.Duration
	// Missing: it does not exist. Unknown: it cannot be told what it is.
	Missing, Unknown bool
	// Progress differs from that of the last time when something has changed that speaks of progress.
	Progress uint64
}

// State is where one object stands.
type State string

// The states.
const (
	Pending   State = "pending"   // not what is waited for yet
	Steadying State = "steadying" // what is waited for, not yet for long enough
	Met       State = "met"       // what is waited for
	Failing   State = "failing"   // failed, not yet for long enough
	Failed    State = "failed"    // failed
	Late      State = "late"      // not met before its own timeout
	Missing   State = "missing"   // does not exist, which is not what is waited for
	Unknown   State = "unknown"   // there is nothing to tell it by
	Hidden    State = "hidden"    // it may not be read
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
	NotFound    Outcome = "NotFound"    // all that is left to wait for does not exist
	Unknowable  Outcome = "Unknown"     // all that is left to wait for cannot be told or may not be read
	Unreachable Outcome = "Unreachable" // the time is up, and what is left to wait for could not be read, or not lately
	Interrupted Outcome = "Interrupted" // by the user; no Machine says so
)

// Serving is what is known of the kind of a target.
type Serving int

// The servings.
const (
	Loading   Serving = iota // the first list is not in
	Served                   // the first list is in
	NotServed                // the server does not have the kind (yet)
	Forbidden                // it may not be read
	Trouble                  // it cannot be read, or not any more; it is tried again. What was seen may be out of date
)

// Decision is what a Machine says.
type Decision struct {
	Outcome Outcome
	// Next is when to ask again though nothing happens; zero for never.
	Next time.Time
	// Total is how many objects are known, Needed how many of them must be met; Met and Failed are so now.
	Total, Needed, Met, Failed int
	// Why says in a few words why the wait has ended; empty while it goes on and where the goal is reached.
	Why string
}

// Status is where one object stands, for a report.
type Status struct {
	Target  Target
	Key     string
	State   State
	Since   time.Time // of the state
	Settled time.Time // when it was met, failed or late; zero otherwise
}
