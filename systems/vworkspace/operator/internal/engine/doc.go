// SPDX-License-Identifier: Apache-2.0

// Package engine has the four engines of operations: the object that each works on, and how its status is read. It is pure: objects in,
// objects and states out.
//
//	velero    Backup or Restore of Velero
//	workflow  Workflow of Argo Workflows, from a WorkflowTemplate
//	job       Job
//	helm      the chart version of the target is set, and its HelmRelease watched
//
// # Rules
//
//  1. The name of an object is made of the operation's name and uid, so that a restarted operator finds it, and another operation never
//     does.
//  2. An object belongs to an operation by the uid that was stored when it was created. Labels and owner references are claims of whoever
//     wrote them. An object of the name whose creation was not stored is the operation's if it has the [Same] content, and another
//     owner's otherwise.
//  3. Partial failure of Velero is failure.
//  4. A state that is not known counts as running.
package engine
