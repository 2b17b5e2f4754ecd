// SPDX-License-Identifier: Apache-2.0

// Package wiring has the conditions of kinds of Kubernetes that no controller writes: whether a Service selects pods and its ports are
// served, whether the addresses and keys that a pod names exist, and others. They are a catalog like every other (kubernetes.yaml), whose
// conditions are derived when an object is read (at: read) and never written.
//
// A condition that is not healthy takes part in the judgement of its object as follows; [relation.View.Judgement] computes it.
//
//  1. The rules are tried in order, and the first that is true decides. A rule that reads a relation whose objects were not read does not
//     apply.
//  2. Severity Error makes the object Failed, Warning makes it Degraded, and Info is a doubt that leaves the verdict alone; class suspended
//     makes an object in progress Suspended. A verdict that is worse already stays, and its reason becomes one of the other complaints.
//  3. Of class terminal, the fault is in the object itself. Of another class it is in the related objects that the rule reads, which are
//     shown below it: in those that do not exist, or else in all whose relation is shown below. One that is healthy alone has there the
//     verdict and the reason of the condition. An object that a reference names and that does not exist is in the relation with absent:
//     true, its kind, name and namespace.
//  4. The evidence are the fields of the object that the rule reads.
package wiring
