// SPDX-License-Identifier: Apache-2.0

// Command kro-demo shows the operator for kro on a control plane of its own: make demo.
package main

import (
	"os"

	"github.com/tristate/tristate/systems/kro/operator/internal/demo"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() { os.Exit(demo.Demo.Main(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout, os.Stderr)) }
