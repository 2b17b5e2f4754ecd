// SPDX-License-Identifier: Apache-2.0

// Package process starts a control plane as a process of its own: bin/localplane of the repository, or of a path that is named.
//
//	p, err := process.Start(ctx, process.Options{Binary: "bin/localplane"})
//	if err != nil {
//		return err
//	}
//	defer p.Stop()
//	client, err := dynamic.NewForConfig(p.Config())
//
// Rules of a started control plane:
//
//   - It listens on 127.0.0.1 only and requires a token or certificate.
//   - It does not outlive the process that started it, however that process ends, unless [Options.Detach] is set.
//   - There are no nodes: pods stay Pending.
package process
