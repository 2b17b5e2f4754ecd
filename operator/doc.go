// SPDX-License-Identifier: Apache-2.0

// Package operator has the reconcile that all kinds of an operator share. A pass over an object is
//
//	Gather   reads everything that the judgement needs; decides nothing
//	Act      writes the children; an error of a write is a fact
//	Judge    pure: facts in, conditions and status fields out
//	apply    one request, or none
//
// # Rules
//
//  1. The first pass over an object only reports that it was accepted ([Kind].Accepted); it happens once in the life of an object. Where a child
//     is to be created ([Kind].Creating), a pass before the writing announces it.
//  2. A Gather that returns [ErrNotYet] ends the pass: nothing is judged or written, and whatever brings the fact wakes the reconciler.
//  3. A condition of class transient is looked at again after [Retry] or the time of its reason in [Kind].Retry, spread by 20 %.
//  4. A wait has a budget ([Waited]), counted from a time in the status, so that it goes on across a restart. Judgement.Again has the
//     reconciler look at its end: the write of the pass that begins a wait wakes nobody.
//  5. A finalizer goes only after [Kind].Delete has reported that the children are gone.
//  6. A pass sees the status that was written last, also where the cache is behind; After sees the one from before the pass.
//  7. Own status writes wake nobody: an object is reconciled again when its spec, labels or annotations change, when a watch of [Kind].Watch
//     fires, and when a time of rules 3 and 4 or Judgement.Again comes.
//
// # Example
//
//	func Setup(e *operator.Env) error {
//		return operator.Setup(e.Host, operator.Kind[*api.Gadget, Facts]{
//			Resource: api.GroupVersion.WithResource("gadgets"), Conditions: Kind,
//			Accepted: accepted, Gather: gather(e), Act: act(e), Judge: conclude,
//			Watch: func(b *builder.Builder) *builder.Builder { return b.Owns(&corev1.ConfigMap{}) },
//		})
//	}
//
// It is not a framework for operators in general: package controller of the root module is that, for catalogs without code.
package operator
