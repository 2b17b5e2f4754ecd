// SPDX-License-Identifier: Apache-2.0

package app

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/internal/declare/source"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/render"
	"golang.org/x/term"
	"k8s.io/klog/v2"
)

// App is the process of a command.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Env      func(string) string
	Now      func() time.Time
	// Ring returns a channel that gets a value once Now has reached a time; nil: the timers of the machine. See [App.Alarm].
	Ring func(at time.Time) <-chan time.Time
	// Terminal reports whether Out is one; Width and Height are its columns and rows, 0 where they are not known.
	Terminal      bool
	Width, Height int
	// Log sets the logger of client-go, which has one for the process; nil leaves it as it is.
	Log func(*slog.Logger)
	// Colour is always, never, or auto: on a terminal, unless NO_COLOR is set. Empty is auto.
	Colour string
	// Name is how the user calls the command, such as "kubectl tristate".
	Name string
	// Version is that of the program.
	Version string
	// Own is set where the process runs this command and nothing else: the command then sets how its garbage is collected. In a test, or a
	// demo, that would stay for everything else in the process.
	Own bool
	// Slow is set by a command that has to stop or remove something when it ends, such as a control plane, a namespace or a lease.
	Slow atomic.Bool
	// Scan scans code, for the commands that read some.
	Scan source.Scanner
	// Unread are the documents of files that could not be read. Each has been reported.
	Unread []*input.Error
}

// New returns the app of this process: its streams, environment and terminal.
func New() *App {
	a := &App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Getenv, Now: time.Now, Log: klog.SetSlogLogger, Name: "tristate",
		Scan: source.Run}
	if strings.HasPrefix(path.Base(os.Args[0]), "kubectl-") {
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

// Detached returns the app of a command that runs at the same time as others: it writes to no terminal and reports to err.
func (a *App) Detached(err io.Writer) *App {
	return &App{In: a.In, Out: a.Out, Err: err, Env: a.Env, Now: a.Now, Ring: a.Ring, Width: a.Width, Height: a.Height, Name: a.Name,
		Version: a.Version}
}

// Alarm returns a channel that gets a value once the clock has reached a time.
func (a *App) Alarm(at time.Time) <-chan time.Time {
	if a.Ring != nil {
		return a.Ring(at)
	}
	return time.After(max(at.Sub(a.Now()), time.Millisecond))
}

// At returns the app with a clock that does not move.
func (a *App) At(now time.Time) *App {
	return &App{In: a.In, Out: a.Out, Err: a.Err, Env: a.Env, Now: func() time.Time { return now }, Terminal: a.Terminal, Width: a.Width,
		Height: a.Height, Log: a.Log, Colour: a.Colour, Name: a.Name, Version: a.Version, Own: a.Own, Scan: a.Scan, Unread: a.Unread}
}

// Reportf writes a message, with the name of the command before it, to Err.
func (a *App) Reportf(format string, args ...any) {
	fmt.Fprintf(a.Err, "%s: %s\n", a.Name, fmt.Sprintf(format, args...))
}

// RenderOptions returns the options of rendering for Out.
func (a *App) RenderOptions() render.Options {
	colour := a.Terminal && a.Env("NO_COLOR") == ""
	switch a.Colour {
	case "always":
		colour = true
	case "never":
		colour = false
	}
	return render.Options{Colour: colour, Width: a.Width, Now: a.Now()}
}

// Screen returns a screen on Out.
func (a *App) Screen() *Screen {
	return &Screen{Out: a.Out, Terminal: a.Terminal, Height: a.Height}
}

// Columns returns the width of the terminal, or a usual one if it is not known.
func (a *App) Columns() int { return cmp.Or(a.Width, 100) }
