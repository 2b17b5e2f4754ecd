// SPDX-License-Identifier: Apache-2.0

// Command kars-operator runs the nine kinds of kars.azure.com on the cluster of the current context; see package operator.
package main

import (
	"os"

	"github.com/tristate/tristate/systems/kars/operator/internal/operator"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() { os.Exit(operator.Run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stderr, os.Getenv)) }
