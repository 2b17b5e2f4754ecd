// SPDX-License-Identifier: Apache-2.0

// Command policy-operator runs the operator of docs/guide-first-operator.md on the cluster of the current context. Its arguments are the tools that exist.
//
//	kubectl apply -f examples/toolpolicy/crd.yaml
//	go run ./examples/operator/policy-operator saw drill
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tristate/tristate/examples/operator"
	"github.com/tristate/tristate/examples/toolpolicy"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "policy-operator:", err)
		os.Exit(1)
	}
}

// run starts the operator; its arguments are the tools that exist.
func run(tools []string) error {
	ctrl.SetLogger(klog.Background())
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), toolpolicy.AddToScheme(scheme)); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: cmp.Or(os.Getenv("METRICS_ADDRESS"), ":8080")}})
	if err != nil {
		return err
	}
	status, err := operator.Setup(mgr, tools)
	if err != nil {
		return err
	}
	if err := metrics.Registry.Register(status.Metrics); err != nil {
		return err
	}
	mgr.GetLogger().Info("starting", "tools", strings.Join(tools, ","))
	return mgr.Start(ctrl.SetupSignalHandler())
}
