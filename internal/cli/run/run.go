// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/controller"
	compiled "github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/write/probe"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// options are those of the controller.
type options struct {
	flags.Catalogs
	flags.Connection
	metrics, health string
	leaderElect     bool
	leaseNamespace  string
	workers         int
	logLevel        string
	logFormat       string
	untilEOF        bool
	manager         string
	manage, adopt   []string
	dryRun          bool
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "run",
		Short: "Keep the derived conditions of a cluster",
		Long: "Watch the kinds that are under the management of Tristate, derive their conditions and write those that changed. A kind is " +
			"managed if its " +
			"catalog says so (spec.manage, with the manager's name), or if --manage names it; catalogs that say nothing, the embedded ones among " +
			"them, are for " +
			"reading only. Catalogs are the embedded ones, files, and ConditionCatalog objects of the cluster.\n\n" +
			"A kind whose derived conditions another manager holds is not written, unless --adopt names it or its catalog says so. Where " +
			"writes are " +
			"reverted they are repeated after growing pauses. tristate release removes what was written. It runs until it is interrupted.",
		Example: "  tristate run --catalogs catalogs/                         # the kinds whose catalogs have manage: {manager: tristate}\n" +
			"  tristate run --manage Machine.cluster.x-k8s.io --dry-run  # what would be written\n" +
			"  tristate run --manage Machine --adopt Machine             # though another controller writes the same types",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return run(a, c, o) },
	}
	o.Catalogs.Add(c.Flags())
	o.AddServer(c.Flags())
	c.Flags().StringVar(&o.Context, "context", "", "context of the kubeconfig")
	c.Flags().StringVar(&o.manager, "manager", apply.Manager, "field manager to write as, and the name by which catalogs put kinds under "+
		"management")
	c.Flags().StringSliceVar(&o.manage, "manage", nil, "kinds to manage besides those whose catalogs say so, as Kind.group or Kind")
	c.Flags().StringSliceVar(&o.adopt, "adopt", nil, "kinds whose derived conditions tristate takes over from other managers, as Kind.group "+
		"or Kind")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing: print the differences that would be written, and end")
	c.Flags().StringVar(&o.metrics, "metrics-address", "", "serve /metrics on host:port")
	c.Flags().StringVar(&o.health, "health-address", "", "serve /healthz and /readyz on host:port")
	c.Flags().BoolVar(&o.leaderElect, "leader-elect", false, "work only while holding a lease")
	c.Flags().StringVar(&o.leaseNamespace, "lease-namespace", "tristate-system", "namespace of the lease")
	c.Flags().IntVar(&o.workers, "workers", 4, "objects judged at a time")
	c.Flags().StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	c.Flags().StringVar(&o.logFormat, "log-format", "text", "text or json")
	c.Flags().BoolVar(&o.untilEOF, "until-eof", false, "end when standard input ends: for a parent process that may be killed")
	o.Complete(c, a, nil, nil)
	for _, flag := range []string{"manage", "adopt"} {
		_ = c.RegisterFlagCompletionFunc(flag, o.CompleteKinds) // the flags exist
	}
	return c
}

func run(a *app.App, c *cobra.Command, o *options) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return exit.Usagef("--log-level %q: use debug, info, warn or error", o.logLevel)
	}
	var handler slog.Handler
	switch o.logFormat {
	case "text":
		handler = slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: level})
	case "json":
		handler = slog.NewJSONHandler(a.Err, &slog.HandlerOptions{Level: level})
	default:
		return exit.Usagef("--log-format %q: use text or json", o.logFormat)
	}
	set, err := o.Load()
	if err != nil {
		return err
	}
	manage, err := o.kinds(c.Context(), a, set, "--manage", o.manage)
	if err != nil {
		return err
	}
	adopt, err := o.kinds(c.Context(), a, set, "--adopt", o.adopt)
	if err != nil {
		return err
	}
	controller.ProbeConnections()
	config, _, err := o.Config()
	if err != nil {
		return err
	}
	log := slog.New(handler)
	if a.Log != nil {
		a.Log(log)
	}
	var planned *plan
	options := controller.Options{Config: config, Catalogs: &catalog.Set{Compiled: set}, Manager: o.manager, Manage: manage, Adopt: adopt,
		Log: log, Workers: o.workers, MetricsAddress: o.metrics,
		HealthAddress: o.health, LeaderElect: o.leaderElect, LeaseNamespace: o.leaseNamespace}
	if o.dryRun {
		planned = &plan{}
		options.DryRun = planned.note
	}
	ctl, err := controller.New(options)
	if err != nil {
		return err
	}
	log.Info("started", "catalogs", len(set.Kinds()), "manages", strings.Join(flags.KindNames(ctl.Managed()), ","), "server", config.Host)
	if len(ctl.Managed()) == 0 {
		log.Warn("nothing is managed yet", "reason", "no catalog has spec.manage with manager "+o.manager+
			", and --manage names no kind; the ConditionCatalog objects of the cluster are not read yet")
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	if o.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, a.In) // an error ends it as well
			cancel()
		}()
	}
	if o.dryRun {
		return dryRun(ctx, a, ctl, planned)
	}
	a.Slow.Store(true) // it releases the lease
	looking := probe.New()
	if a.Own {
		thrifty(ctx, looking)
	}
	if err := ctl.Run(looking.With(ctx)); err != nil {
		return err
	}
	stats := looking.Stats()
	log.Info("stopped", "objects", stats.Objects, "kinds", stats.Kinds, "passes", stats.Passes, "writes", stats.Writes, "failures",
		stats.Failures)
	return nil
}

// kinds finds kinds by name: those of the catalogs of files first, then those of the cluster. A kind that no catalog derives yet is
// accepted by its full name, Kind.group: its catalog may come later.
func (o *options) kinds(ctx context.Context, a *app.App, set *compiled.Set, flag string, names []string) ([]schema.GroupKind, error) {
	found, err := flags.DerivedKinds(set, flag, names)
	if err == nil {
		return found, nil
	}
	cl, failed := o.Connect(ctx, a)
	if failed != nil {
		return nil, err
	}
	known := o.Catalogs
	known.FoundInCluster(ctx, cl)
	if both, failed := known.Load(); failed == nil {
		set = both
	}
	var out []schema.GroupKind
	for _, name := range names {
		one, err := flags.DerivedKinds(set, flag, []string{name})
		switch {
		case err == nil:
			out = append(out, one...)
		case strings.Contains(name, "."):
			a.Reportf("warning: %s %s: no catalog derives a condition of the kind yet", flag, name)
			out = append(out, compiled.ParseGroupKind(name))
		default:
			if unreachable := cl.Answers(ctx); unreachable != nil {
				return nil, unreachable
			}
			return nil, fmt.Errorf("%w; write Kind.group for one whose catalog comes later", err)
		}
	}
	return out, nil
}

// thrifty keeps the memory of a controller near to the size of the watched objects: the first lists take several times that, and most of it
// is never needed again. GOGC in the environment decides otherwise.
func thrifty(ctx context.Context, p *probe.Probe) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(50)
	go func() {
		if p.Idle(ctx) == nil {
			debug.FreeOSMemory()
		}
	}()
}
