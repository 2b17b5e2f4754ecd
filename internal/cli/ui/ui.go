// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/rows"
)

// options are the flags that only ui has.
type options struct {
	feed.Options
	address string
	hosts   []string
	open    bool
	token   string
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	v, o := view.New(a, view.Options{Below: true, Engine: "tristate"}), &options{}
	c := &cobra.Command{
		Use:   "ui",
		Short: "Show a cluster in the browser, the worst first",
		Long: "Serve a page about the objects of a cluster, of several (--context, repeated) or of files (-f): what is to blame for what is " +
			"unhealthy, trees, histories of conditions. " +
			"It prints an address with a secret, opens nothing by itself, writes nothing to the cluster, and is reached from this machine alone " +
			"unless --address says otherwise. It runs until it is interrupted.",
		Example: "  tristate ui\n  tristate ui --context east --context west\n  tristate ui -n shop --open\n  tristate ui -f dump.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return run(c.Context(), v, o) },
	}
	feed.AddSource(c, v)
	o.Options.Add(c.Flags())
	c.Flags().StringVar(&o.address, "address", "127.0.0.1:0", "serve on host:port; port 0 is any free one")
	c.Flags().StringSliceVar(&o.hosts, "host", nil, "a name by which browsers call the server, besides localhost and the host of --address")
	c.Flags().BoolVar(&o.open, "open", false, "open the address in the browser")
	c.Flags().StringVar(&o.token, "ui-token", "", "secret of the address (default: a random one)")
	return c
}

func run(ctx context.Context, v *view.View, o *options) error {
	if len(v.Files) > 0 && len(v.Contexts) > 0 {
		return exit.Usagef("--context and -f cannot be combined")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	fleet, mode := rows.New(v.App.Now), "cluster"
	if len(v.Files) > 0 {
		mode = "files"
		if err := feed.Files(ctx, fleet, v); err != nil {
			return err
		}
	} else if err := feed.Clusters(ctx, fleet, v, o.Options); err != nil {
		return err
	}
	return feed.Serve(ctx, v.App, fleet, feed.Page{Address: o.address, Hosts: o.hosts, Open: o.open, Token: o.token, Mode: mode,
		Title: strings.Join(slices.Concat(v.Contexts, v.Files), ", ")})
}
