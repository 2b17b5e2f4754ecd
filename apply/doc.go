// SPDX-License-Identifier: Apache-2.0

// Package apply writes the conditions of a changed pass to the API server, and says so in events and metrics.
//
//	status := &apply.Status{Target: target, Writer: &apply.Writer{Client: client, Manager: "policy-operator"}}
//
//	pass := toolpolicy.Begin(policy, time.Now())
//	judge(pass, facts)
//	return status.Apply(ctx, policy, pass.Commit())
//
// # Rules
//
//  1. An unchanged pass sends nothing. A changed one sends one server-side apply of the status: the owned conditions and all other
//     owned status fields together. It forces: what another manager wrote to a type of ours is overruled.
//  2. Where the conditions list of the kind is not a map keyed by type, an apply would replace what others wrote. Then the latest object
//     is read, our entries are replaced in its list, and a merge patch with its resource version is sent: two requests.
//  3. After a conflict the object is read live and the change is put on top of it, up to 8 times. A status that is stored
//     already keeps its time, a condition of a newer generation is kept, and if nothing is left to change nothing is sent. A type that the
//     pass did not report and that changed meanwhile is not put back: the error is a conflict, and the pass has to be repeated over the
//     newer object.
//  4. A type or field of ours that is no longer reported goes with the apply. If an entry is still there afterwards, because another
//     manager holds it too (or it is stored under an alias), a locked merge patch removes it: one more request, once.
//  5. Managers that wrote the same fields by Update before lose them, this operator's own former self among them
//     ([Writer].Adopt): one more request, once an object. Their other fields stay theirs. Without the permission for it rule 4
//     does for entries, as they go, and fields stay.
//  6. An object that is gone, or was created again under the same name, is no error: nothing is written.
//  7. A write that the API server refuses is an [*Error] that names the object, the conditions and the conflict.
//  8. Events and metrics come after the write, once per transition as it was stored. [Status] remembers a write until the
//     caller has seen it, so that a pass over an older copy neither writes, records nor counts anything again.
//
// [Writer.Apply] returns the object with which the API server answers, so that a caller with its own cache need not
// wait until its watch has seen the write.
//
// # Permissions
//
// A writer needs patch on the status subresource, get on the kind for rules 2 to 4, and patch on the kind for rule 5.
// For events it needs create on events.events.k8s.io: no two of them are the same, so none is counted up.
package apply
