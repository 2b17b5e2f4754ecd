// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/play"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane/process"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
)

// options are the flags.
type options struct {
	binary string
	keep   bool
	page   bool
	pace   time.Duration
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show a cluster that is provisioned, breaks, heals and is upgraded",
		Long: "Show a cluster that is provisioned, breaks, heals and is upgraded: in memory, with nothing but this command. With " +
			"--localplane it happens on a real API server, which is started on this machine with the Cluster API definitions and tristate " +
			"run; nothing is left running, unless --keep. With --ui the page of the cluster is served meanwhile, and stays until the demo is " +
			"interrupted.",
		Example: "  tristate demo\n  tristate demo --ui\n  tristate demo --localplane bin/localplane --keep",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.page && !c.Flags().Changed("pace") {
				o.pace = 5 * time.Second
			}
			switch {
			case o.binary != "":
				return run(c.Context(), a, o)
			case o.keep:
				return exit.Usagef("--keep leaves a control plane up: name one with --localplane")
			}
			if err := play.Embedded(c.Context(), a, systems.Demo(), o.pace, o.page); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.Out, "\nNext, without a cluster:\n  %s why deploy/web -f example:shop\nand with one:\n  %[1]s status -A\n", a.Name)
			return err
		},
	}
	c.Flags().StringVar(&o.binary, "localplane", "", "play on a real API server, which this program of the repository starts")
	c.Flags().BoolVar(&o.keep, "keep", false, "leave the control plane up, and the objects of the last story")
	c.Flags().DurationVar(&o.pace, "pace", 700*time.Millisecond, "wait after each tree and note (5s with --ui)")
	c.Flags().BoolVar(&o.page, "ui", false, "serve the page of the cluster, as tristate ui does, until the demo is interrupted")
	return c
}

func run(ctx context.Context, a *app.App, o *options) (err error) {
	a.Slow.Store(true) // it stops the control plane
	start := a.Now()
	fmt.Fprintln(a.Out, "starting a control plane …")
	p, err := process.Start(ctx, process.Options{Binary: o.binary, Detach: o.keep})
	if err != nil {
		return err
	}
	if !o.keep {
		defer func() {
			if stopErr := p.Stop(); err == nil {
				err = stopErr
			}
		}()
	}
	definitions, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	if err != nil {
		return err
	}
	if err := live.Install(ctx, p.Config(), catalog.CRDYAML, definitions); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "it answers at %s after %.1f s; starting tristate run …\n", p.Config().Host, a.Now().Sub(start).Seconds())
	set, err := (&flags.Catalogs{}).Load()
	if err != nil {
		return err
	}
	manage := strings.Join(flags.KindNames(flags.ManagedKinds(set)), ",")
	stop, err := startRun(ctx, p.Kubeconfig(), manage)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := stop(); err == nil {
			err = stopErr
		}
	}()
	if o.page {
		stopPage, err := startPage(ctx, a, p.Kubeconfig())
		if err != nil {
			return err
		}
		defer func() {
			if stopErr := stopPage(); err == nil {
				err = stopErr
			}
		}()
	}
	var coverage story.Coverage
	writes, played := 0, 0
	for i, name := range systems.Demo() {
		data, err := fs.ReadFile(systems.Stories, name)
		if err != nil {
			return err
		}
		s, err := story.Parse(name, data)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "\n══ %s ══\n", s.Name())
		player := &play.Player{App: a, Catalogs: set, Pace: o.pace, Coverage: &coverage, Keep: o.keep && i == len(systems.Demo())-1}
		n, err := player.Play(ctx, p.Config(), s)
		if err != nil {
			return fmt.Errorf("story %s: %w", s.Name(), err)
		}
		writes += n
		played++
	}
	report := coverage.Report(set)
	fmt.Fprintf(a.Out, "\n%d stories played on a real API server in %.0f s: %d writes by Tristate, %d of %d declared statuses seen. Every "+
		"condition above the leaves was derived.\n",
		played, a.Now().Sub(start).Seconds(), writes, len(report.Statuses.Reached), report.Statuses.Declared())
	if o.keep {
		lookAround(a, p, manage)
	}
	if o.page {
		fmt.Fprintln(a.Out, "The page stays until you press Ctrl-C.")
		<-ctx.Done()
	}
	return nil
}

func lookAround(a *app.App, p *process.Plane, manage string) {
	fmt.Fprintf(a.Out, `
The control plane stays up. To look around:
  export KUBECONFIG=%s
  bin/tristate tree clusters -A
  bin/tristate run --manage %s &           # derives again
  bin/tristate play --live cluster-api/scale-workers
To stop it:
  kill %d
`, p.Kubeconfig(), manage, p.PID())
}

// startRun starts this command's run in a process of its own, as a user would.
func startRun(ctx context.Context, kubeconfig, manage string) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "run", "--kubeconfig", kubeconfig, "--manage", manage, "--until-eof")
	cmd.Args[0] = "tristate"
	cmd.Stderr = &log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	lifeline, err := cmd.StdinPipe() // closes when this process ends, however it ends
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() error {
		if err := lifeline.Close(); err != nil {
			return err
		}
		if err := cmd.Wait(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("tristate run: %w\n%s", err, log.String())
		}
		return nil
	}, nil
}

// startPage starts this command's ui in a process of its own, as a user would, and prints the address of the page.
func startPage(ctx context.Context, a *app.App, kubeconfig string) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "ui", "--kubeconfig", kubeconfig)
	cmd.Args[0] = "tristate"
	cmd.Stderr = &log
	interrupt := func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Cancel = interrupt
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = interrupt()
		return nil, fmt.Errorf("tristate ui: %w\n%s", cmd.Wait(), log.String())
	}
	fmt.Fprintf(a.Out, "\nopen the page in a browser: %s", address)
	return func() error {
		_ = interrupt()
		_ = cmd.Wait() // it ends by the signal
		return nil
	}, nil
}
