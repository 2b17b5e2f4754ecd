// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"os"

	"github.com/tristate/tristate/operator/program"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
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
