// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"flag"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Flags declares the flags of the manager that every operator has.
func Flags(flags *flag.FlagSet, o *manager.Options) {
	flags.BoolVar(&o.LeaderElection, "leader-elect", true, "let only one of several operators work")
	flags.StringVar(&o.HealthProbeBindAddress, "health-address", ":8081", "address of /healthz and /readyz; 0: none")
	flags.StringVar(&o.Metrics.BindAddress, "metrics-address", ":8080", "address of the metrics; 0: none")
}

// Run constructs an operator for the cluster of the current context, and runs it until the context ends.
func Run[O interface{ Start(context.Context) error }](ctx context.Context, construct func(*rest.Config) (O, error)) error {
	ctrl.SetLogger(klog.Background())
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	operator, err := construct(config)
	if err != nil {
		return err
	}
	return operator.Start(ctx)
}
