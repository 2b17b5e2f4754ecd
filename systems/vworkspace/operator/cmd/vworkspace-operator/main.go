// SPDX-License-Identifier: Apache-2.0

// Command vworkspace-operator runs the kinds of apps.vworkspace.io and ops.vworkspace.io on the cluster of the current context; see package
// operator.
package main

import (
	"os"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operator"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() { os.Exit(operator.Run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stderr)) }
