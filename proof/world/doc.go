// SPDX-License-Identifier: Apache-2.0

// Package world starts a cluster with nodes for the tests of an operator, in which the operator has exactly its generated permissions, and
// records every status that was ever stored.
//
//	func TestRows(t *testing.T) {
//		w := world.Start(t, world.Options{Namespace: "gadgets", Account: "gadget-operator", Scheme: scheme, CRDs: "config/crd",
//			Roles: "config/rbac/role.yaml",
//			Recorded: []world.Resource{{GVR: api.GroupVersion.WithResource("gadgets"), Kind: "Gadget"}}})
//		run(t, w.Account(), w.Now) // the operator
//		gadget := &api.Gadget{...}
//		w.Create(t, gadget)
//		w.Seen.Reach(t, gadget, "Ready=False Waiting")
//		w.Seen.Reach(t, gadget, "Ready=True Done")
//		w.Seen.Compare(t, "../../catalogs/gadgets.yaml", kinds)
//	}
//
// # Rules
//
//  1. Nothing waits for a fixed time: a wait ends with the fact, or after [Patience] with an error that shows the states that were seen.
//  2. A state is never missed, because the record is made by watches, and [Recorder.Reach] looks for states in the order in which they were
//     stored.
//  3. The clock of the operator is [World.Now]; [World.Advance] moves it. The caller then wakes the operator.
//  4. [Traffic] counts the requests of the operator, to compare them with its roles; [Statuses] counts the changes of very many objects.
package world
