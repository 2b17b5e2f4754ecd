// SPDX-License-Identifier: Apache-2.0

// Package wait decides when a wait for objects is over, and how it ended.
//
// A [Machine] is a pure state machine: facts about objects and the time go in, a [Decision] comes out. It knows no
// client, no clock and no object; its caller observes, for each object, whether it meets the wait and whether
// it has failed ([Facts]), most easily by a [Test].
//
//	m := wait.New(wait.Goal{StableFor: 10 * time.Second, Timeout: time.Minute}, now)
//	web := m.Named("deploy/web")             // one object, which may not exist yet
//	m.Observe(web, "deploy/web", wait.Facts{Met: true}, now)
//	m.Loaded(web, wait.Served, "", now)      // the first list is in
//	d := m.Decide(now)                       // d.Outcome is Waiting until 10 s have passed; d.Next is when to call again
//
// # Rules
//
// An object is met once [Facts.Met] has held for Goal.StableFor without interruption, and has failed once [Facts.Failed]
// has held for [Facts.Grace] without interruption; met comes first. Nothing is final while the wait goes on: a failed
// object may recover if the goal can be reached without it.
//
// The goal is reached when all objects are met, or as many as Goal.Count or Goal.Percent demand. All objects means every
// named object, and every object a selector finds, of which there must be at least one (unless Goal.Gone). An object
// that appears later counts from then on.
//
// With Goal.Superseded an object is superseded when its generation moves on from the first one that was seen, whatever else holds: its spec
// was changed, and a verdict is about the new one.
//
// The goal is lost, and the wait ends, when an object that it needs has failed, is superseded or is late, or when none of the remaining
// objects may be read. With a count, objects that a selector may find later can still help; with a percentage they cannot. Objects
// that may not be read never stop the others.
//
// Facts about a target that cannot be read now may be out of date: time alone neither makes its objects met nor failed, and how long
// they have been in their state counts from when they are seen again.
//
// A wait that ends without reaching its goal has failed (an object has), is unreachable (a remaining object cannot be read now, or the
// server never answered), has timed out (a remaining object is still in progress), is unknown (no remaining object can be judged or read),
// or is not found (no remaining object exists): the first of these that applies.
package wait
