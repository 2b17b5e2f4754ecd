// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/render"
	"golang.org/x/term"
	"k8s.io/klog/v2"
)

// The exit codes (DESIGN.md section 5).
const (
	ExitOK          = 0   // fine, or met
	ExitFindings    = 1   // findings, or an unhealthy object where the command was asked to judge
	ExitUsage       = 2   // the command line is wrong
	ExitFailed      = 3   // it could not be done
	ExitTimeout     = 4   // it took too long
	ExitNotFound    = 5   // an object does not exist
	ExitUnknown     = 6   // it cannot be told, or is forbidden
	ExitInterrupted = 130 // by the user
)

// exit is an error with an exit code. An empty one was said already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &exit{ExitUsage, fmt.Errorf(format, args...)} }

// App is what the command lives in.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	Now      func() time.Time
	// Terminal tells whether Out is one; Width and Height are its columns and rows, 0 for any.
	Terminal      bool
	Width, Height int
	// Name is what the user calls the command, as "kubectl tristate".
	Name string

	unread int // documents that could not be read, which was said
}

// New gives the app of this process. From then on client-go does not write to standard error by itself: what goes wrong is said by the
// commands.
func New() *App {
	klog.SetLogger(logr.Discard())
	a := &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Now: time.Now, Name: "tristate"}
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

// Run runs the command and gives its exit code.
func (a *App) Run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && a.unread > 0 {
		err = &exit{ExitFailed, fmt.Errorf("%d of the documents could not be read", a.unread)}
	}
	if err == nil {
		return ExitOK
	}
	code := ExitFailed
	var e *exit
	switch {
	case errors.As(err, &e):
		code = e.code
	case ctx.Err() != nil:
		code = ExitInterrupted
	case strings.HasPrefix(err.Error(), "unknown command"), strings.HasPrefix(err.Error(), "required flag"):
		code = ExitUsage
	}
	if text := err.Error(); text != "" && code != ExitInterrupted {
		fmt.Fprintf(a.Err, "%s: %s\n", a.Name, text)
	}
	if code == ExitUsage {
		fmt.Fprintf(a.Err, "see %s --help\n", a.Name)
	}
	return code
}

func (a *App) root() *cobra.Command {
	root := &cobra.Command{
		Use:   a.Name,
		Short: "Declare, derive, read and check status conditions of Kubernetes objects",
		Example: "  tristate tree cluster/prod                 # the hierarchy below an object, and why it is not ready\n" +
			"  tristate status -f dump.yaml               # a verdict for every object of a file\n" +
			"  tristate run --catalogs catalogs/          # keep derived conditions in a cluster\n" +
			"  tristate play --live stories/              # run stories on the cluster of the current context",
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exit{ExitUsage, err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(a.tree(), a.why(), a.status(), a.wait(), a.check(), a.run(), a.play(), a.gen(), a.test(), a.importer(), a.corpus(), a.demo(), a.version())
	return root
}

// options are how this app renders.
func (a *App) options() render.Options {
	return render.Options{Colour: a.Terminal && a.Env("NO_COLOR") == "", Width: a.Width, Now: a.Now()}
}

func (a *App) screen() *screen {
	return &screen{out: a.Out, terminal: a.Terminal, height: a.Height}
}
