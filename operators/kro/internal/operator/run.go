// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"flag"
	"fmt"
	"io"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Exit codes of kro-operator.
const (
	ExitFine   = 0
	ExitUsage  = 2
	ExitFailed = 3
)

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kro-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=kro-system,resources=events,verbs=create;patch

// Run is the program kro-operator; it ends with the context.
func Run(ctx context.Context, args []string, stderr io.Writer) int {
	ctrl.SetLogger(klog.Background())
	var o Options
	flags := flag.NewFlagSet("kro-operator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.Workers, "workers", 4, "instances that are reconciled at a time")
	qps := flags.Float64("client-qps", 100, "requests a second, on average; below 0: no limit")
	flags.IntVar(&o.Burst, "client-burst", 0, "requests at once; 0: half as many again as a second's")
	flags.BoolVar(&o.DeleteKinds, "allow-crd-deletion", false, "delete the CustomResourceDefinition with its definition, and with it every instance; needs a role that may")
	flags.BoolVar(&o.Manager.LeaderElection, "leader-elect", true, "let only one of several operators work")
	flags.StringVar(&o.Manager.LeaderElectionNamespace, "leader-election-namespace", "", "namespace of the lease; empty: that of the pod")
	flags.StringVar(&o.Manager.HealthProbeBindAddress, "health-address", ":8081", "address of /healthz and /readyz; 0: none")
	metrics := flags.String("metrics-address", ":8080", "address of the metrics; 0: none")
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	o.QPS = float32(*qps)
	o.Manager.Metrics = server.Options{BindAddress: *metrics}
	o.Manager.LeaderElectionID, o.Manager.LeaderElectionReleaseOnCancel = "tristate.kro.run", true
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(stderr, "kro-operator:", err)
		return ExitFailed
	}
	return ExitFine
}

func start(ctx context.Context, o Options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	operator, err := New(config, o)
	if err != nil {
		return err
	}
	if err := operator.Manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := operator.Manager.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return operator.Start(ctx)
}
