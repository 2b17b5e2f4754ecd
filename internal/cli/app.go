// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/input"
	"github.com/tristate/tristate/internal/render"
	"golang.org/x/term"
	"k8s.io/klog/v2"
)

// App is what the command lives in.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	Now      func() time.Time
	// Terminal tells whether Out is one; Width and Height are its columns and rows, 0 for any.
	Terminal      bool
	Width, Height int
	// Log makes a logger that of client-go as well, which has one for the process; nil leaves it as it is.
	Log func(*slog.Logger)
	// Name is what the user calls the command, as "kubectl tristate".
	Name string

	unread []*input.Error // what could not be read of files, which was reported
	slow   atomic.Bool    // the command has something to stop or to put away when it ends: it may take slowGrace
}

// New returns the app of this process: its streams, environment and terminal.
func New() *App {
	a := &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Now: time.Now, Log: klog.SetSlogLogger, Name: "tristate"}
	if strings.HasPrefix(baseName(os.Args[0]), "kubectl-") {
		a.Name = "kubectl tristate"
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		a.Terminal = true
		if width, height, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			a.Width, a.Height = width, height
		}
	}
	return a
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Run runs the command and returns its exit code.
func (a *App) Run(ctx context.Context, args []string) int {
	if _, plain := a.Err.(plainWriter); !plain {
		a.Err = plainWriter{a.Err}
	}
	root := a.root()
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil && len(a.unread) > 0 {
		err = &exit{ExitUnknown, a.unreadable()}
	}
	if err != nil && (strings.HasPrefix(err.Error(), "unknown command") || strings.HasPrefix(err.Error(), "required flag")) {
		err = &exit{ExitUsage, err} // cobra has no type for these
	}
	code := codeOf(err)
	if ctx.Err() != nil {
		code = ExitInterrupted
	}
	if err == nil {
		return code
	}
	if text := err.Error(); text != "" && code != ExitInterrupted {
		fmt.Fprintf(a.Err, "%s: %s\n", a.Name, text)
	}
	var e *exit
	if errors.As(err, &e) && e.code == ExitUsage {
		fmt.Fprintf(a.Err, "see %s --help\n", ran.CommandPath())
	}
	return code
}

// plainWriter writes messages, which may quote what servers, objects and files hold, without anything that a terminal would obey. Each call is
// one message.
type plainWriter struct{ w io.Writer }

// Write is a method of io.Writer.
func (w plainWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.w, render.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (a *App) root() *cobra.Command {
	root := &cobra.Command{
		Use: "tristate",
		// The name that the user knows stands in usage lines.
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: a.Name},
		Short:       "Declare, derive, read and check status conditions of Kubernetes objects",
		Example: "  tristate tree cluster/prod                 # the hierarchy below an object, and why it is not ready\n" +
			"  tristate status -f dump.yaml               # a verdict for every object of a file\n" +
			"  tristate run --manage Machine --dry-run    # what Tristate would write in a cluster\n" +
			"  tristate play --live stories/              # run stories on the cluster of the current context",
		SilenceErrors: true, SilenceUsage: true,
		Args: knownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exit{ExitUsage, err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(a.tree(), a.why(), a.status(), a.wait(), a.check(), a.run(), a.release(), a.play(), a.gen(), a.test(), a.infer(), a.diff(), a.docs(), a.importer(), a.corpus(), a.compare(), a.demo(), a.version())
	root.AddCommand(a.documentation()...)
	addExitCodes(root, "")
	a.rename(root)
	return root
}

// Command returns the whole command, for manual pages and completions.
func (a *App) Command() *cobra.Command { return a.root() }

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

// knownCommand refuses arguments where only a command can stand, and names the command that was most likely meant.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := ""
	if near := catalog.Nearest(args[0], names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return usagef("unknown command %q for %q%s", args[0], c.CommandPath(), hint)
}

// options are how this app renders.
func (a *App) options() render.Options {
	return render.Options{Colour: a.Terminal && a.Env("NO_COLOR") == "", Width: a.Width, Now: a.Now()}
}

func (a *App) screen() *screen {
	return &screen{out: a.Out, terminal: a.Terminal, height: a.Height}
}
