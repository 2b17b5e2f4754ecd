// SPDX-License-Identifier: Apache-2.0

// Command kro-operator reconciles kro's ResourceGraphDefinitions and their instances.
package main

import (
	"os"

	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() { os.Exit(operator.Run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stderr)) }
