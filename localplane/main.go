// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/tristate/tristate/localplane/internal/cli"
	"github.com/tristate/tristate/localplane/internal/components"
	"github.com/tristate/tristate/localplane/internal/supervisor"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == supervisor.Command {
		os.Exit(components.Main(os.Args[2:], os.Stderr))
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
