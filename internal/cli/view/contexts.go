// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/fleet/render"
)

// ContextTimeout is how long one of several clusters may take to answer.
const ContextTimeout = 30 * time.Second

// showContexts shows the answers of several clusters, asked at once: one after the other under their names, as JSON or YAML in one list. Of
// a cluster that does not answer only its part is missing.
func (v *View) showContexts(ctx context.Context, show func(context.Context, *View) error) error {
	if v.Watch || len(v.Files) > 0 || v.Output == "dot" || v.Output == "mermaid" {
		return exit.Usagef("several contexts cannot be combined with --watch, -f, -o dot or -o mermaid")
	}
	a := v.App
	parts := make([]bytes.Buffer, len(v.Contexts))
	views := make([]*View, len(v.Contexts))
	err := ForEachContext(ctx, a, v.Contexts, func(ctx context.Context, i int, a *app.App) error {
		ctx, stop := context.WithTimeout(ctx, ContextTimeout)
		defer stop()
		a.Out = &parts[i]
		views[i] = v.In(a, v.Contexts[i])
		err := show(ctx, views[i])
		views[i].Problems = ProblemsIn(v.Contexts[i], views[i].Problems, err)
		return err
	})
	if v.Printer != nil {
		var items []render.Item
		for i, one := range views {
			for _, item := range one.items {
				item.Context = v.Contexts[i]
				items = append(items, item)
			}
			v.Problems = append(v.Problems, one.Problems...)
		}
		_, shown := v.ShowItems(items)
		return cmp.Or(shown, err)
	}
	for i, name := range v.Contexts {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		fmt.Fprintf(a.Out, "context %s\n", name)
		if _, err := parts[i].WriteTo(a.Out); err != nil {
			return err
		}
	}
	return err
}

// In returns the view of one of several clusters, which keeps its items and problems instead of printing them.
func (v *View) In(a *app.App, name string) *View {
	one := New(a, v.Options)
	one.Context, one.Contexts, one.collect = name, []string{name}, true
	return one
}

// ForEachContext runs a function for each context at once, with an app of its own that is no terminal, reports the errors, and returns the
// worst exit code.
func ForEachContext(ctx context.Context, a *app.App, contexts []string, run func(context.Context, int, *app.App) error) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	errs := make([]error, len(contexts))
	for i, name := range contexts {
		own := a.Detached(&contextWriter{&mu, a.Err, a.Name + ": ", name})
		wait.Go(func() { errs[i] = run(ctx, i, own) })
	}
	wait.Wait()
	worst := exit.OK
	for i, err := range errs {
		if err == nil {
			continue
		}
		if text := strings.TrimSpace(err.Error()); text != "" {
			a.Reportf("context %s: %s", contexts[i], text)
		}
		worst = exit.Worst(worst, exit.Of(err))
	}
	if worst == exit.OK {
		return nil
	}
	return exit.With(worst, nil)
}

// contextWriter writes warnings of several clusters, one at a time, each with its context after the name of the program.
type contextWriter struct {
	mu            *sync.Mutex
	w             io.Writer
	program, name string
}

// Write is a method of io.Writer. Each call is one message.
func (w *contextWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, reported := strings.CutPrefix(string(p), w.program)
	program := ""
	if reported {
		program = w.program
	}
	if _, err := fmt.Fprintf(w.w, "%scontext %s: %s", program, w.name, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
