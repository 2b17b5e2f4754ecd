// SPDX-License-Identifier: Apache-2.0

// Command kro-demo shows the operator for kro on a control plane of its own: make demo-kro.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"github.com/tristate/tristate/operators/kro/internal/demo"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: kro-demo LOCALPLANE CRDS DEFINITION")
		os.Exit(2)
	}
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	if err := demo.Run(ctrl.SetupSignalHandler(), os.Stdout, demo.Files{Localplane: os.Args[1], CRDs: os.Args[2],
		Definition: os.Args[3]}); err != nil {
		fmt.Fprintln(os.Stderr, "kro-demo:", err)
		os.Exit(3)
	}
}
