// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/check"
	"github.com/tristate/tristate/internal/cli/compare"
	"github.com/tristate/tristate/internal/cli/demo"
	"github.com/tristate/tristate/internal/cli/diff"
	"github.com/tristate/tristate/internal/cli/docs"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/explain"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/gen"
	"github.com/tristate/tristate/internal/cli/history"
	"github.com/tristate/tristate/internal/cli/infer"
	"github.com/tristate/tristate/internal/cli/mcp"
	"github.com/tristate/tristate/internal/cli/play"
	"github.com/tristate/tristate/internal/cli/release"
	"github.com/tristate/tristate/internal/cli/run"
	"github.com/tristate/tristate/internal/cli/scaffold"
	"github.com/tristate/tristate/internal/cli/serve"
	"github.com/tristate/tristate/internal/cli/status"
	"github.com/tristate/tristate/internal/cli/test"
	"github.com/tristate/tristate/internal/cli/tree"
	"github.com/tristate/tristate/internal/cli/ui"
	"github.com/tristate/tristate/internal/cli/wait"
	"github.com/tristate/tristate/internal/cli/why"
)

// App is the command with its streams, environment, clock and terminal.
type App app.App

// New returns the app of this process: its streams, environment and terminal.
func New() *App { return (*App)(app.New()) }

// Run runs the command and returns its exit code.
func (a *App) Run(ctx context.Context, args []string) int {
	if _, plain := a.Err.(plainWriter); !plain {
		a.Err = plainWriter{a.Err}
	}
	out, checked := a.Out.(*checkedWriter)
	if !checked {
		out = &checkedWriter{w: a.Out}
		a.Out = out
	}
	root, a1 := a.Command(), (*app.App)(a)
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(ctx)
	if lost := out.lost(); lost != nil { // whatever else the command found did not reach a reader
		err = lost
	}
	if err == nil {
		err = a1.Unreadable()
	}
	if err != nil && (strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")) {
		err = exit.With(exit.Usage, err) // cobra has no type for these
	}
	code := exit.Of(err)
	if ctx.Err() != nil {
		code = exit.Interrupted
	}
	if err == nil {
		return code
	}
	if text := err.Error(); text != "" && code != exit.Interrupted {
		if path := (*fs.PathError)(nil); errors.As(err, &path) { // without the name of a system call
			text = strings.Replace(text, path.Error(), path.Path+": "+path.Err.Error(), 1)
		}
		a1.Reportf("%s", text)
	}
	var e *exit.Error
	if errors.As(err, &e) && e.Code == exit.Usage {
		_, _ = io.WriteString(a.Err, "see "+ran.CommandPath()+" --help\n") // a closed pipe has no reader
	}
	return code
}

// colours are the values of --color.
var colours = []string{"auto", "always", "never"}

// Command returns the whole command, for manual pages and completions.
func (a *App) Command() *cobra.Command {
	in := (*app.App)(a)
	in.Version = programVersion()
	root := &cobra.Command{
		Use: "tristate",
		// Usage lines have the name by which the user calls it.
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: a.Name},
		Short:       "Show what is unhealthy in a cluster, which object is the cause, and what to do about it",
		Example: "  tristate why deploy/web                    # which object is the cause, and what to do about it\n" +
			"  tristate status -A                         # what is unhealthy in the cluster\n" +
			"  tristate wait deploy/web                   # until it serves, or has failed\n" +
			"  tristate tree cluster/prod                 # the hierarchy below an object, and why it is not ready\n" +
			"  tristate status -f dump.yaml               # a verdict for every object of a file\n" +
			"  tristate why deploy/web -f example:shop    # the same without a cluster\n" +
			"  tristate run --manage Machine --dry-run    # what Tristate would write in a cluster\n" +
			"  tristate play --live stories/              # run stories on the cluster of the current context",
		SilenceErrors: true, SilenceUsage: true,
		Args: flags.KnownCommand,
	}
	asked := root.Flags().Bool("version", false, "print the version")
	root.PersistentFlags().StringVar(&in.Colour, "color", "auto", "colour: auto (on a terminal, unless NO_COLOR is set), always or never")
	_ = root.RegisterFlagCompletionFunc("color", flags.OneOf(colours...)) // the flag exists
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(colours, in.Colour) {
			return exit.Usagef("--color %q: use one of %s", in.Colour, strings.Join(colours, ", "))
		}
		return nil
	}
	root.RunE = func(c *cobra.Command, _ []string) error {
		if *asked {
			return printVersion(in)
		}
		return c.Help()
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(flags.Known)
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, command := range []func(*app.App) *cobra.Command{why.Command, status.Command, wait.Command, tree.Command, history.Command,
		ui.Command, serve.Command, check.Command, run.Command, release.Command,
		play.Command, gen.Command, test.Command, infer.Command, diff.Command, docs.Command, compare.Command,
		demo.Command, mcp.Command(programVersion), version} {
		root.AddCommand(command(in))
	}
	catalogs := &flags.Catalogs{}
	explained := explain.Command(a.Out, catalogs.Load)
	catalogs.Add(explained.Flags())
	for _, c := range []*cobra.Command{scaffold.Command(a.Out, in.Version), explained} {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := run(c, args); err != nil {
				return exit.With(exit.Usage, err) // only the arguments can be wrong
			}
			return nil
		}
		root.AddCommand(c)
	}
	addExitCodes(root, "")
	a.rename(root)
	return root
}

// rename puts the name by which the user calls the command into examples.
func (a *App) rename(c *cobra.Command) {
	if a.Name != "tristate" {
		c.Example = strings.ReplaceAll(c.Example, "  tristate ", "  "+a.Name+" ")
		c.Example = strings.ReplaceAll(c.Example, "| tristate ", "| "+a.Name+" ")
	}
	for _, sub := range c.Commands() {
		a.rename(sub)
	}
}
