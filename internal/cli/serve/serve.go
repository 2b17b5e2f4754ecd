// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/feed"
	page "github.com/tristate/tristate/internal/cli/page"
	"github.com/tristate/tristate/internal/cli/server"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/internal/write/probe"
	"k8s.io/client-go/dynamic"
)

// options are the flags that only serve has.
type options struct {
	feed.Options
	address, auth, metricsAuth string
	tokenFile, shard           string
	aggregated                 string
	hosts, audiences           []string
	series                     int
	cert, key                  string
	ui                         bool
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	v, o := view.New(a, view.Options{Below: true, Engine: "tristate"}), &options{}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the verdicts of a cluster: metrics, a JSON API, the page",
		Long: "Watch a cluster, or several, and serve /metrics, /healthz, /readyz, the JSON API and with --ui the page. " +
			"It writes nothing to the cluster. It runs until it is interrupted.",
		Example: "  tristate serve --light --auth none                  # metrics, on this machine\n" +
			"  tristate serve --address :8080 --auth cluster --ui  # in a cluster: whoever may list a kind sees it\n" +
			"  tristate serve --light --shard 0/4",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return run(c.Context(), v, o) },
	}
	feed.AddSource(c, v)
	_ = c.Flags().MarkHidden("filename")
	o.Options.Add(c.Flags())
	c.Flags().StringVar(&o.address, "address", "127.0.0.1:8080", "serve on host:port")
	c.Flags().StringVar(&o.auth, "auth", "token", "who may read: token (whoever has the one of --token-file, or the one that is printed), "+
		"cluster (whoever the cluster knows, what it lets them list) or none (on a loopback address)")
	c.Flags().StringVar(&o.metricsAuth, "metrics-auth", "same", "who may read /metrics: same (as --auth; with cluster whoever may get the "+
		"path /metrics) or none")
	c.Flags().StringVar(&o.tokenFile, "token-file", "", "file with the token of --auth token (default: a random one, which is printed)")
	c.Flags().StringSliceVar(&o.audiences, "audience", nil, "audience of tokens, with --auth cluster (default: that of the API server)")
	c.Flags().StringSliceVar(&o.hosts, "host", nil, "a name by which the server is called, besides localhost and the host of --address")
	c.Flags().BoolVar(&o.ui, "ui", false, "serve the page too")
	c.Flags().BoolVar(&o.Light, "light", false, "keep a row of each object and nothing else: no causes and no trees, for metrics in little "+
		"memory")
	c.Flags().IntVar(&o.series, "series", server.DefaultSeries, "most objects that are not Current with series of their own")
	c.Flags().StringVar(&o.cert, "tls-cert", "", "serve TLS with the certificate of this file, in PEM; it is read again when it changes")
	c.Flags().StringVar(&o.key, "tls-key", "", "file with the key of --tls-cert, in PEM")
	c.Flags().StringVar(&o.aggregated, "aggregated", "", "also serve the API verdicts.tristate.dev on host:port, for the API server of the "+
		"cluster, with --auth cluster: kubectl get verdicts (without --tls-cert its certificate signs itself)")
	c.Flags().StringVar(&o.shard, "shard", "", "serve part i of n of the objects, by a hash of their names: i/n, from 0/n")
	return c
}

// check reads the flags.
func (o *options) check(v *view.View) error {
	switch {
	case len(v.Files) > 0:
		return exit.Usagef("serve watches a cluster: tristate ui -f shows files")
	case o.auth != "token" && o.auth != "cluster" && o.auth != "none":
		return exit.Usagef("--auth %q: use token, cluster or none", o.auth)
	case o.metricsAuth != "same" && o.metricsAuth != "none":
		return exit.Usagef("--metrics-auth %q: use same or none", o.metricsAuth)
	case o.auth == "cluster" && len(v.Contexts) > 1:
		return exit.Usagef("--auth cluster is for one cluster: a user of one is not the same user of another")
	case o.aggregated != "" && o.auth != "cluster":
		return exit.Usagef("--aggregated needs --auth cluster, which decides what each reader may see")
	case o.ui && o.Light:
		return exit.Usagef("--ui needs trees, which --light leaves out")
	case (o.cert == "") != (o.key == ""):
		return exit.Usagef("--tls-cert and --tls-key go together")
	case o.series < 0:
		return exit.Usagef("--series %d: the number must not be negative", o.series)
	}
	if o.shard == "" {
		return nil
	}
	i, n, found := strings.Cut(o.shard, "/")
	part, err := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !found || err != nil || err2 != nil || part < 0 || of < 1 || part >= of || of > 10_000 {
		return exit.Usagef("--shard %q: write i/n, with i from 0 to n-1", o.shard)
	}
	o.Shard, o.Shards = part, of
	return nil
}

func run(ctx context.Context, v *view.View, o *options) error {
	if err := o.check(v); err != nil {
		return err
	}
	if v.App.Own && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // memory is nearly all rows, which stay
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	fleet := rows.New(v.App.Now)
	registry := prometheus.NewRegistry()
	registry.MustRegister(server.NewMetrics(fleet, o.series))
	so := server.Options{Fleet: fleet, Version: v.App.Version, Mode: "cluster", Hosts: o.hosts,
		Metrics: probe.Metrics(registry), Now: v.App.Now, Title: strings.Join(v.Contexts, ", ")}
	if err := o.signIn(v, &so); err != nil {
		return err
	}
	if o.ui {
		so.Page = fs.FS(page.Files())
	}
	if host, _, err := net.SplitHostPort(o.address); err == nil && host != "" {
		so.Hosts = append(so.Hosts, host)
	}
	listener, err := server.Listen(o.address, o.auth == "none")
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	scheme := "http://"
	if o.cert != "" {
		if listener, err = server.TLS(listener, o.cert, o.key, tls.NoClientCert); err != nil {
			return exit.With(exit.Usage, err)
		}
		scheme = "https://"
	}
	if err := feed.Clusters(ctx, fleet, v, o.Options); err != nil {
		_ = listener.Close()
		return err
	}
	address := scheme + listener.Addr().String() + "/"
	if token, ok := so.Auth.(server.Token); ok && o.tokenFile == "" {
		address += "?token=" + string(token)
	}
	if _, err := fmt.Fprintln(v.App.Out, address); err != nil {
		return err
	}
	if o.aggregated == "" {
		return server.Run(ctx, listener, server.New(so))
	}
	second, err := o.listenAggregated(v.App.Now())
	if err != nil {
		_ = listener.Close()
		return exit.With(exit.Usage, err)
	}
	review, _ := so.Auth.(*server.Review) // --auth cluster made it
	ended := make(chan error, 2)
	go func() { ended <- server.Run(ctx, second, server.NewAggregated(fleet, review)) }()
	go func() { ended <- server.Run(ctx, listener, server.New(so)) }()
	err = <-ended
	stop()
	return cmp.Or(err, <-ended)
}

// listenAggregated opens the address of the aggregated API.
func (o *options) listenAggregated(now time.Time) (net.Listener, error) {
	listener, err := server.Listen(o.aggregated, false)
	switch {
	case err != nil:
		return nil, err
	case o.cert != "":
		return server.TLS(listener, o.cert, o.key, tls.RequestClientCert)
	}
	return server.OwnTLS(listener, now)
}

// signIn sets who may read.
func (o *options) signIn(v *view.View, so *server.Options) error {
	switch o.auth {
	case "none":
		so.Auth = server.Open{}
	case "cluster":
		config, _, err := v.Config()
		if err != nil {
			return err
		}
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		review := server.NewReview(client, o.audiences)
		so.Auth, so.MetricsAuth = review, review.Metrics
	default:
		token := server.Token(server.NewToken())
		if o.tokenFile != "" {
			data, err := os.ReadFile(o.tokenFile)
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			if token, err = server.Secret(strings.TrimSpace(string(data))); err != nil {
				return exit.With(exit.Usage, fmt.Errorf("--token-file %s: %w", o.tokenFile, err))
			}
		}
		so.Auth = token
	}
	if o.metricsAuth == "none" {
		so.MetricsAuth = func(*http.Request) error { return nil }
	}
	return nil
}
