// SPDX-License-Identifier: Apache-2.0

// Package operatortest runs the pure half of a kind, Judge and Conclude, over time: without an API server, with a clock of its own.
//
//	o := operatortest.New(t, kind, &api.Gadget{...}, start)
//	o.Pass(Facts{Missing: true})
//	o.Cells(map[string]string{"Ready": "False ShelfMissing"})
//	o.Advance(30*time.Minute)                             // deadlines that pass on the way wake the object, as the queue would
//	o.Cells(map[string]string{"Ready": "False TimedOut"})
//	o.Writes(2)
//
// # Rules
//
//  1. A pass is judged over the object as the passes before left it: conditions, status fields and waits are stored with it. A pass that
//     changes nothing is no write. An edit of the spec is made on [Run].Object, with its generation.
//  2. [Run.Advance] moves the clock to each moment at which the object asked to be looked at, and judges the same facts then. What a
//     restart of the operator would keep is all that a run keeps, so every pass is also the first one after a restart.
//  3. A report that the catalog does not declare fails the test.
//
// It is not an API server: what Gather reads and what Act writes is tested against a real one.
package operatortest
