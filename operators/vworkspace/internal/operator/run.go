// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/tristate/tristate/operators/vworkspace/internal/probe"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Exit codes of vworkspace-operator.
const (
	ExitFine   = 0
	ExitUsage  = 2
	ExitFailed = 3
)

// Run is the program vworkspace-operator; it ends with the context.
func Run(ctx context.Context, args []string, stderr io.Writer) int {
	ctrl.SetLogger(klog.Background())
	var o Options
	flags := flag.NewFlagSet("vworkspace-operator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Namespace, "namespace", "vworkspace-system", "namespace of the operator")
	flags.StringVar(&o.ClusterID, "cluster-id", "", "id of the cluster, and name of its Cluster")
	flags.DurationVar(&o.PreconditionTimeout, "precondition-timeout", 0, "how long operations wait for their target and for other operations (default 1h; negative: for ever)")
	flags.DurationVar(&o.ChartUnreachable, "chart-unreachable", 0, "how long a chart source may be unreachable before its instances are degraded (default 5m)")
	flags.IntVar(&o.BufferCapacity, "event-buffer", 0, "events that are kept while the control plane is unreachable (default 1000)")
	flags.DurationVar(&o.ProbeInterval, "probe-interval", 0, "time between readiness checks (default 30s)")
	flags.DurationVar(&o.VanishedGrace, "vanished-grace", 0, "how long the object of an engine may be missing (default 1m)")
	flags.StringVar(&o.Webhook.Address, "webhook-address", ":9443", "address of the webhook that verifies approval claims; 0: none")
	flags.StringVar(&o.Webhook.Host, "webhook-host", "", "name or IP address of the webhook for the API server (default vworkspace-operator.NAMESPACE.svc)")
	flags.DurationVar(&o.Webhook.Lifetime, "webhook-certificate-lifetime", 0, "lifetime of a certificate of the webhook (default 24h)")
	flags.DurationVar(&o.Webhook.Settle, "webhook-certificate-settle", 0, "time from a new authority in the webhook configuration to the certificate that it signs (default 30s)")
	flags.BoolVar(&o.Manager.LeaderElection, "leader-elect", true, "let only one of several operators work")
	flags.StringVar(&o.Manager.HealthProbeBindAddress, "health-address", ":8081", "address of /healthz and /readyz; 0: none")
	metrics := flags.String("metrics-address", ":8080", "address of the metrics; 0: none")
	roots := flags.String("probe-ca-file", "", "PEM file with further authorities of the endpoints that are probed")
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	if err := trust(&o, *roots); err != nil {
		fmt.Fprintln(stderr, "vworkspace-operator:", err)
		return ExitUsage
	}
	o.Manager.Metrics = server.Options{BindAddress: *metrics}
	o.Manager.LeaderElectionID, o.Manager.LeaderElectionNamespace, o.Manager.LeaderElectionReleaseOnCancel = "vworkspace-operator", o.Namespace, true
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(stderr, "vworkspace-operator:", err)
		return ExitFailed
	}
	return ExitFine
}

// trust adds authorities to those that probes accept.
func trust(o *Options, file string) error {
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s has no certificate", file)
	}
	o.Probes = probe.NewClient(&http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}})
	return nil
}

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=vworkspace-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=vworkspace-system,resources=events,verbs=create
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create

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
	if err := operator.Manager.AddReadyzCheck("webhook", operator.Ready); err != nil {
		return err
	}
	return operator.Start(ctx)
}
