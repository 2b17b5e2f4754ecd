// SPDX-License-Identifier: Apache-2.0

// Package child writes the objects that an operator creates: one server-side apply where something is to change, none otherwise.
//
//	children := &child.Writer{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Manager: "gadget-operator", HashAnnotation: "example.dev/applied-hash"}
//	err := children.Ensure(ctx, children.ConfigMap(gadget, "gadget-"+gadget.Name, data, nil))
//
// # Rules
//
//  1. Every child carries the label [LabelManaged] with the name of the manager, so that a cache can hold the children only.
//  2. An object of the same name without that label is left alone and is an error.
//  3. Whether an apply would change anything is decided by a hash of the object that was applied last, kept in an annotation; of ConfigMaps the data is
//     compared as well, which other people edit.
//  4. Errors have the text of the API server without the parts that change from one attempt to the next, so that a message made of them is stable.
package child
