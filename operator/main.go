// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/tristate/tristate/operator/program"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Main is the main function of an operator: it reads the flags of the manager, runs the kinds that setups add for the cluster of the
// current context until SIGTERM or an interrupt, and exits with 0, with 2 for wrong flags or with 3 after an error, which it prints. The
// scheme has the kinds of Kubernetes and those of addToScheme. Unless o.Namespace is set it is that of the environment variable
// POD_NAMESPACE.
func Main(o Options, addToScheme func(*runtime.Scheme) error, setups ...func(*Host) error) {
	p := program.New(o.Account, os.Stderr)
	Flags(p.FlagSet, &o.Manager)
	p.StringVar(&o.Namespace, "namespace", os.Getenv("POD_NAMESPACE"), "namespace of the operator, for its lease")
	os.Exit(p.Run(os.Args[1:], func() error {
		return Run(ctrl.SetupSignalHandler(), func(config *rest.Config) (*Host, error) { return New(config, o, addToScheme, setups...) })
	}))
}

// New makes an operator of kinds that setups add, as Main does; tests start it with [Host.Start].
func New(config *rest.Config, o Options, addToScheme func(*runtime.Scheme) error, setups ...func(*Host) error) (*Host, error) {
	o.Manager.Scheme = runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(o.Manager.Scheme), addToScheme(o.Manager.Scheme)); err != nil {
		return nil, err
	}
	host, err := NewHost(config, o)
	if err != nil {
		return nil, err
	}
	for _, setup := range setups {
		if err := setup(host); err != nil {
			return nil, err
		}
	}
	return host, nil
}

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
