// SPDX-License-Identifier: Apache-2.0

// Package operator is for operators whose conditions are declared in a catalog: an author writes what a kind is about, and the package does
// the rest on controller-runtime. A pass over an object is
//
//	Gather     reads everything that the judgement needs; decides nothing
//	Act        writes the children; Refused makes a fact of its error
//	Judge      pure: reports the facts to a pass of the generated package
//	Conclude   pure: the other fields of the status
//	apply      one request for conditions and fields together, or none
//	After      writes that follow the status; an error repeats the pass
//
// # Rules
//
//  1. The first pass over an object only reports the cells that the catalog has as initial; it happens once in the life of an object. Where
//     a child is to be created ([Kind].Creating), a pass before the writing announces it. The phase follows from the conditions, where the
//     catalog has phases and [Conclusion].Status has none.
//  2. A Gather that returns [ErrNotYet] ends the pass: nothing is judged or written, and whatever brings the fact wakes the reconciler. Any
//     other error backs off.
//  3. A condition of class transient is looked at again after the retry of its reason in the catalog, or after [Kind].Backoff, which
//     doubles, and at last [Retry], spread by 20 %.
//  4. A deadline of the catalog wakes the object when it passes. An error does not delay that: the back-off ends with the deadline at the
//     latest. Its beginning is stored with the object, so it goes on across a restart and a jump of the clock.
//  5. A finalizer goes only after [Kind].Delete has reported that the children are gone.
//  6. A pass sees the status that was written last, also where the cache is behind; After sees the one from before the pass.
//  7. Own status writes wake nothing: an object is reconciled again when its spec, labels or annotations change, when another writer
//     changes fields of the status that the operator owns, when a watch of [Kind].Watch fires, and at the times of rules 3 and 4 and of
//     [Conclusion].Again.
//
// # Example
//
//	func Setup(h *operator.Host) error {
//		return operator.Setup(h, operator.Kind[*api.Gadget, Facts]{
//			Resource: api.GroupVersion.WithResource("gadgets"), Conditions: gadget.Kind,
//			Gather: gather, Act: act(h.Children), Judge: judge, Conclude: conclude,
//			Watch: func(b *builder.Builder) *builder.Builder { return b.Owns(&corev1.ConfigMap{}) },
//		})
//	}
//
//	func judge(o *api.Gadget, f Facts, now time.Time) operator.Pass {
//		p := gadget.Begin(o, now)
//		if f.Missing {
//			p.Ready.ShelfMissing("there is no shelf " + o.Spec.Shelf)
//		}
//		...
//		return p
//	}
//
// Package child writes the children and prunes them, package enqueue maps events of other objects to requests, package program is the
// frame of a command. A kind that is known at run time only has a queue of its own and the same functions: [NewReconciler]. For kinds
// without code of their own there is package controller of the root module.
package operator
