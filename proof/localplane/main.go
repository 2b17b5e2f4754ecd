// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"

	"github.com/tristate/tristate/proof/localplane/internal/cli"
	"github.com/tristate/tristate/proof/localplane/internal/components/control"
	"github.com/tristate/tristate/proof/localplane/internal/components/serve"
)

func main() {
	all := maps.Clone(serve.All)
	maps.Copy(all, control.All)
	os.Exit(cli.Main(all, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
