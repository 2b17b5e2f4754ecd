// SPDX-License-Identifier: Apache-2.0

// Command tristate-consumers is tristate compare --consumers with Argo CD's own health checks built in, for kinds whose answers the command
// has not recorded.
//
//	tristate-consumers --consumers Lamp.example.org --catalogs lamps.yaml
package main

import (
	"fmt"
	"os"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/compare"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/proof/consumers/consumers"
)

func main() {
	c := compare.CommandWith(app.New(), consumers.ArgoCD)
	c.SilenceUsage, c.SilenceErrors = true, true
	if err := c.Execute(); err != nil {
		if err.Error() != "" {
			fmt.Fprintln(os.Stderr, "tristate-consumers:", err)
		}
		os.Exit(exit.Of(err))
	}
}
