// SPDX-License-Identifier: Apache-2.0

// Package serve has the components that serve the Kubernetes API: etcd and kube-apiserver.
//
// etcd listens on a Unix socket in the data folder only; the folder is closed to other users. kube-apiserver listens on the socket that it
// inherits.
package serve
