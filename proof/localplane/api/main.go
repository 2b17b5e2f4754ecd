// SPDX-License-Identifier: Apache-2.0

// Command api is localplane without what acts on objects: etcd and kube-apiserver. It compiles in less than two thirds of the time, and is
// what a person waits for who sees the demo first.
package main

import (
	"os"

	"github.com/tristate/tristate/proof/localplane/internal/cli"
	"github.com/tristate/tristate/proof/localplane/internal/components/serve"
)

func main() { os.Exit(cli.Main(serve.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
