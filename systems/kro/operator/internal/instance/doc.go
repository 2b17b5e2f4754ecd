// SPDX-License-Identifier: Apache-2.0

// Package instance reconciles the instances of the kinds that ResourceGraphDefinitions make.
//
//	evaluate  expressions and observed objects, with kro's runtime, in the order of the graph
//	sync      finalizer, labels and inventory in one write; the resources that differ are applied, leftovers are removed
//	facts     the results, with a verdict on each object
//	judge     pure: facts to conditions
//
// The frame of a pass is that of package operator, as for any kind; the queue is kro's.
//
// # The chunks of work
//
// A pass has four chunks of work, and each has a condition, because each stops for reasons of its own and is unblocked by other people:
//
//	InstanceManaged  kro may write the instance itself                    an administrator grants permissions
//	GraphResolved    the definition is accepted, expressions have values  the author of the definition corrects it
//	InstanceSynced   the API server takes the resources                   the author of the instance corrects it
//	ResourcesReady   the resources do their work                          whoever runs the resource looks at it
//
// Below ResourcesReady each resource of the graph has a condition "resources.kro.run/ID".
//
// # Rules
//
//  1. A resource with readyWhen is ready when readyWhen holds, whatever its own status reports; where the two disagree the message has
//     both. A resource without readyWhen is ready when package verdict calls it Current. Every object of a collection counts, and so does
//     an object that the graph only refers to. An object whose kind has no status by its schema is ready once it exists.
//  2. readyWhen is evaluated on the object as it is after the apply.
//  3. False means that a person must act: an expression that fails, an answer of the API server that stays the same when asked again, a
//     verdict of Failed or Degraded. Everything in progress is Unknown.
//  4. A resource is applied when its content was never applied in this form, or when the stored object has other values. An unchanged pass
//     writes nothing.
//  5. Deletion follows kro's apply order, dependents first, by the inventory of the instance: it needs no graph and no definition that is
//     accepted. An instance whose definition does not exist is deleted in the same way.
//  6. The conditions that expressions of the definition make are those of kro; package declare says which of them count.
//
// # What it is not
//
// It watches nothing itself: kro's dynamic controller calls it for each instance and for each change of an object that it asked to watch.
package instance
