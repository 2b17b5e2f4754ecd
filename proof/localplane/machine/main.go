// SPDX-License-Identifier: Apache-2.0

// Command machine is localplane with no component built in: it runs etcd and kube-apiserver, and kube-controller-manager if there is one,
// of this machine, from the folder that KUBEBUILDER_ASSETS names, else from PATH.
package main

import (
	"os"

	"github.com/tristate/tristate/proof/localplane/internal/cli"
)

func main() { os.Exit(cli.Main(nil, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
