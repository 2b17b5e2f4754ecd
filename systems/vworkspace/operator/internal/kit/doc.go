// SPDX-License-Identifier: Apache-2.0

// Package kit has the parts that the reconcilers of the three kinds share: the environment, the gates that an object has to pass, the end
// of a pass, and the catalog policy.
//
// # Gates
//
// An ApplicationInstance or Operation is this operator's if it has the label app.vworkspace.io/managed-by=control-plane, if its label
// app.vworkspace.io/cluster-id, where it has one, is the operator's, and if its namespace has the label managed-by=vworkspace. Others are
// ignored.
package kit
