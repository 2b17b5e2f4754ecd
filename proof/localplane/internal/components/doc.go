// SPDX-License-Identifier: Apache-2.0

// Package components runs one component of a control plane in this process. Its packages have the components: [serve]
// etcd and kube-apiserver, [control] kube-controller-manager, kube-scheduler and KWOK. A build of localplane has those
// that its main package lists. A component that is not built in can be a program of this machine, see
// [supervisor.Program].
//
// The components share flag sets, feature gates and loggers when they live in one process, so the supervisor starts this same
// binary once for each of them, with the data folder as working directory:
//
//	localplane component kube-apiserver --etcd-servers=unix://etcd.sock:0 ...
//
// Rules:
//
//   - File descriptor [supervisor.LifelineFD] is a pipe without writes. When it ends, the supervisor is gone, however it died, and
//     the component stops by itself.
//   - Logs go to standard error, which the supervisor has pointed at a file.
//
// [serve]: https://pkg.go.dev/github.com/tristate/tristate/proof/localplane/internal/components/serve
// [control]: https://pkg.go.dev/github.com/tristate/tristate/proof/localplane/internal/components/control
package components
