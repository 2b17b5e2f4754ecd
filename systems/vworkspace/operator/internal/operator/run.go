// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"io"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/systems/cells"
	"github.com/tristate/tristate/systems/scrape"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
)

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=vworkspace-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create

// Run is the program vworkspace-operator; it ends with the context.
func Run(ctx context.Context, args []string, stderr io.Writer) int {
	o := Options{Gate: &outbound.Gate{}}
	p := program.New("vworkspace-operator", stderr)
	p.StringVar(&o.Namespace, "namespace", "vworkspace-system", "namespace of the operator")
	p.StringVar(&o.ClusterID, "cluster-id", "", "id of the cluster, and name of its Cluster")
	p.DurationVar(&o.PreconditionTimeout, "precondition-timeout", 0, "how long operations wait for their target and for other operations "+
		"(default 1h; negative: for ever)")
	p.DurationVar(&o.OperationTimeout, "operation-timeout", 0, "how long the engine of an operation may run whose parameters have no "+
		"timeoutSeconds (default 30m for Backup and 24h for every other type; negative: for ever)")
	p.DurationVar(&o.ChartUnreachable, "chart-unreachable", 0, "how long a chart source may be unreachable before its instances are "+
		"degraded (default 5m)")
	p.StringVar(&o.ReleaseAccount, "release-account", "", "ServiceAccount of the namespace of an application that Flux installs its chart "+
		"as (default: the one of Flux, or its --default-service-account)")
	p.Func("operation-account", "name of a ServiceAccount that Jobs of operations may run under in their namespaces; repeated "+
		"(default: none)", func(text string) error {
		o.OperationAccounts = append(o.OperationAccounts, text)
		return nil
	})
	p.Func("shared-backups", "labels of the Backups of Velero that operations of every namespace may restore from, as "+
		"velero.io/schedule-name=nightly (default: none; each namespace restores its own)", func(text string) (err error) {
		o.SharedBackups, err = labels.Parse(text)
		return err
	})
	o.Controllers = kit.DefaultControllers
	p.Func("controller", "place of a controller of another project as NAME=NAMESPACE/DEPLOYMENT, for example velero=backup/velero; repeated",
		func(text string) (err error) {
			o.Controllers, err = kit.Place(o.Controllers, text)
			return err
		})
	p.StringVar(&o.Webhook.Address, "webhook-address", ":9443", "address of the webhook that validates operations and approval claims; "+
		"0: none")
	p.StringVar(&o.Webhook.Host, "webhook-host", "", "name or IP address of the webhook for the API server (default "+
		"vworkspace-operator.NAMESPACE.svc)")
	p.Func("conditions", "conditions that are written: complete (default), or document: no cell that the document's tables do not have",
		func(text string) (err error) {
			o.Cells, err = cells.Parse(text)
			return err
		})
	p.Var(o.Gate, "allow-address", outbound.Usage)
	roots := p.String("probe-ca-file", "", "PEM file with further authorities of the endpoints that are probed")
	operator.Flags(p.FlagSet, &o.Manager)
	scrape.Flag(p.FlagSet, &o.Manager)
	return p.Run(args, func() error {
		if *roots != "" {
			pool, err := program.Authorities(*roots)
			if err != nil {
				return program.Usage(err)
			}
			o.Authorities = pool
		}
		return operator.Run(ctx, func(config *rest.Config) (*Operator, error) { return New(config, o) })
	})
}
