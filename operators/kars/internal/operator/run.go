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
	"strings"
	"time"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Exit codes of kars-operator.
const (
	ExitFine   = 0
	ExitUsage  = 2
	ExitFailed = 3
)

// MaxTTLVariable is the environment variable with the longest time of a grant in seconds.
const MaxTTLVariable = "EGRESS_APPROVAL_MAX_TTL_SECONDS"

// Run is the program kars-operator; it ends with the context.
func Run(ctx context.Context, args []string, stderr io.Writer, getenv func(string) string) int {
	ctrl.SetLogger(klog.Background())
	o := Options{RuntimeImages: map[string]string{}}
	flags := flag.NewFlagSet("kars-operator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Namespace, "namespace", "kars-system", "namespace of the operator")
	flags.StringVar(&o.InferenceEndpoint, "inference-endpoint", "", "URL of the models; without it no sandbox runs")
	flags.StringVar(&o.MemoryEndpoint, "memory-endpoint", "", "URL of the memory stores")
	flags.StringVar(&o.RouterImage, "router-image", "kars-router", "image of the routers")
	flags.StringVar(&o.RunnerImage, "runner-image", "kars-eval-runner", "image of the runners of evaluations")
	flags.StringVar(&o.PushAddress, "push-address", "", "address at which routers push their status; empty: they are only asked")
	flags.StringVar(&o.PushURL, "push-url", "", "URL of that address for the routers")
	flags.BoolVar(&o.PlainRegistries, "plain-registries", false, "fetch artifacts over HTTP")
	flags.DurationVar(&o.RouterPoll, "router-poll", 0, "time between questions to a router that somebody waits for (default 15s)")
	flags.BoolVar(&o.Manager.LeaderElection, "leader-elect", true, "let only one of several operators work")
	flags.StringVar(&o.Manager.HealthProbeBindAddress, "health-address", ":8081", "address of /healthz and /readyz; 0: none")
	metrics := flags.String("metrics-address", ":8080", "address of the metrics; 0: none")
	roots := flags.String("oidc-ca-file", "", "PEM file with further authorities for OIDC issuers")
	flags.Func("runtime-image", "adapter as KIND=IMAGE; repeated", func(text string) error {
		kind, image, ok := strings.Cut(text, "=")
		if !ok || image == "" {
			return fmt.Errorf("%q is not KIND=IMAGE", text)
		}
		o.RuntimeImages[kind] = image
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	if err := environment(&o, *roots, getenv); err != nil {
		fmt.Fprintln(stderr, "kars-operator:", err)
		return ExitUsage
	}
	o.Manager.Metrics = server.Options{BindAddress: *metrics}
	o.Manager.LeaderElectionID, o.Manager.LeaderElectionNamespace, o.Manager.LeaderElectionReleaseOnCancel = "kars-operator", o.Namespace, true
	if err := start(ctx, o); err != nil {
		fmt.Fprintln(stderr, "kars-operator:", err)
		return ExitFailed
	}
	return ExitFine
}

// environment takes in what comes as environment variables and files.
func environment(o *Options, roots string, getenv func(string) string) error {
	switch strings.ToLower(getenv("REQUIRE_SIGNED_ALLOWLIST")) {
	case "true", "1", "yes", "on":
		o.RequireSigned = true
	}
	if text := getenv(MaxTTLVariable); text != "" {
		ttl, err := time.ParseDuration(text + "s")
		if err != nil || ttl <= 0 {
			return fmt.Errorf("%s=%q is not a number of seconds", MaxTTLVariable, text)
		}
		o.MaxTTL = ttl
	}
	if roots == "" {
		return nil
	}
	pem, err := os.ReadFile(roots)
	if err != nil {
		return err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return err
	}
	if !pool.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s has no certificate", roots)
	}
	o.Web = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: pool}}}
	return nil
}

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kars-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups="",namespace=kars-system,resources=events,verbs=create;patch

func start(ctx context.Context, o Options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the cluster: %w", err)
	}
	operator, err := New(config, o)
	if err != nil {
		return err
	}
	if err := probes(operator.Manager); err != nil {
		return err
	}
	return operator.Start(ctx)
}

func probes(mgr manager.Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.AddReadyzCheck("ping", healthz.Ping)
}
