// SPDX-License-Identifier: Apache-2.0

// Package recorded keeps what one version of an operator wrote, for tests of the next version: the objects of a control plane as YAML,
// and the same objects on another control plane.
//
//	data, err := recorded.Save(ctx, c, kinds, keep)                        // with the version before
//	record, err := recorded.Restore(ctx, c, kubeconfig, data, kinds, keep) // in the test of this version
//	err = record.Note(ctx)                                                 // before the operator starts
//	changed, err := record.Changed(ctx)                                    // what it wrote
//
// # Rules
//
//  1. An object is restored as a backup of etcd restores it: uid, generation, times, status and managed fields are the recorded ones. The
//     API server sets all of them itself where an object is created by a request, so the objects are put into the etcd of the control
//     plane.
//  2. The order of the kinds is that in which they are restored: owners before the objects that they own.
//  3. The status of a Deployment is not recorded, because its pods are not: a test waits until they are there again.
package recorded
