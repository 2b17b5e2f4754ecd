// SPDX-License-Identifier: Apache-2.0

// Package clitest helps the tests of commands that need a real API server: a namespace with a user of it, and its kubeconfig. It is
// imported by tests only.
//
//	b := clitest.NewBench(t)
//	web := b.Create(manifest)
//	code, last, _ := b.Wait(nil, "deploy/web")
package clitest
