// SPDX-License-Identifier: Apache-2.0

// Package components runs one part of the control plane in this process: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler or KWOK.
//
// The parts share flag sets, feature gates and loggers when they live in one process, so the supervisor starts this same
// binary once for each of them, with the data folder as working directory:
//
//	localplane component kube-apiserver --etcd-servers=unix://etcd.sock:0 ...
//
// Rules:
//
//   - File descriptor [supervisor.LifelineFD] is a pipe nobody writes to. When it ends, the supervisor is gone, however it died, and
//     the component stops by itself.
//   - Logs go to standard error, which the supervisor has pointed at a file.
//   - etcd listens on a Unix socket in the data folder only; the folder is closed to other users.
package components
