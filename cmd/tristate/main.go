// SPDX-License-Identifier: Apache-2.0

// Command tristate declares, derives, reads and checks status conditions of Kubernetes objects. As kubectl-tristate on the PATH it is
// kubectl tristate.
package main

import (
	"os"

	"github.com/tristate/tristate/internal/cli"
)

func main() { os.Exit(cli.New().Main(os.Args[1:])) }
