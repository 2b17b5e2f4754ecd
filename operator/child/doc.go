// SPDX-License-Identifier: Apache-2.0

// Package child is the one place where an operator writes the objects that it creates: one server-side apply where something is to change,
// none otherwise.
//
//	children := &child.Writer{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Manager: "gadget-operator", Domain: "example.dev"}
//	err := children.Ensure(ctx, gadget, children.ConfigMap(gadget, "gadget-"+gadget.Name, data, nil))
//
// # Whose a child is
//
//  1. Every child carries the label [LabelManaged], so that a cache can hold the children only, and the annotation DOMAIN/owner with kind,
//     namespace, name and uid of its owner. A controlling owner reference outranks the annotation.
//     Neither proves anything outside of the owner's namespace, since whoever makes an object first writes them. A child without a
//     namespace, whose owner has one, is known by the uid that the API server gave it when the writer created it. The uid is stored in a
//     ConfigMap of
//     the operator's namespace.
//  2. A child belongs to one owner. An object of another owner, or one that the operator did not create, is neither created over, nor
//     changed, nor deleted: [OwnedError]. An object whose mark was removed is still a child where the operator has applied it and its
//     labels name no other owner.
//  3. An owner that was deleted and created again under its name takes over the children of the former one, because no other object can
//     have that name.
//  4. A child outside of its owner's namespace is written to the operator's namespace, or to a namespace that is itself a child of the same
//     owner.
//  5. Creating is a request that the API server refuses where the object exists, and changing one that it refuses where the object was
//     replaced: no other writer comes between the check and the write.
//
// # When a child is written
//
//  1. The desired object differs from the one that was applied last.
//  2. A field of the last apply has another owner, or another value than in the answer to that apply. Names of field managers are claims of
//     those who write, so an edit under the operator's own name is found by its value. The answer has defaults and normal forms, so these
//     cause no writes.
//  3. Where the writer is exact: another writer has added content, such as a container, a key or a port. Additions to metadata stay.
//  4. The operator has started: what others did in the meantime is not known. An apply that changes nothing is not stored.
//
// Writes for the reasons 2 to 4 that change something are repairs, which are counted. After five repairs of a child in a minute the writer
// stops for a minute, then for two, up to ten, records an event, and returns a [FightError] that names the other writer.
//
// A field that its Go type calls optional and that is zero is not applied, so that it stays with whoever sets it: an empty struct of a
// typed object claims nothing. A pointer to zero does.
//
// A child is held as it is desired, for these reasons. By its [Policy] an edit of others is only reported, and [Writer.Once] makes a
// child that is not written again. A [Policy] has what a child needs in addition: to adopt an object that exists, to leave a field to
// others once it is created, to be created again if a field is immutable. A sibling that is not desired any more is given to
// [Writer.Remove], and [Writer.Prune] finds all of a kind; an owner does that when its other writes have succeeded.
//
// Errors have the text of the API server without the parts that change from one attempt to the next, so that a message made of them is
// stable.
package child
