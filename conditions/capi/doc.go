// SPDX-License-Identifier: Apache-2.0

// Package capi has the Go types of the conditions of Cluster API up to v1beta1, for the status of an object: metav1.Condition has no
// severity, and its reason may not be empty. On the wire they are what Cluster API writes.
//
//	type WidgetStatus struct {
//		// +optional
//		// +listType=map
//		// +listMapKey=type
//		Conditions capi.Conditions `json:"conditions,omitempty"`
//	}
//
//	pass := widget.Begin(w.Generation, w.Status.Conditions.List(), now)
//	...
//	w.Status.Conditions = capi.Of(pass.Commit().Conditions())
//
// controller-gen makes the schema from the markers. DeepCopy is part of the package.
package capi
