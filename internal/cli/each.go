// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/render"
)

// treesOfMany shows what tree or why shows of one cluster for several, asked at once: one after the other under their names, as JSON or
// YAML in one list. A cluster that does not answer costs only its part.
func (a *App) treesOfMany(ctx context.Context, v *view, show func(context.Context, *App, *view) error) error {
	if v.watch || len(v.files) > 0 || v.output == "dot" || v.output == "mermaid" {
		return usagef("several contexts cannot be combined with --watch, -f, -o dot or -o mermaid")
	}
	parts := make([]bytes.Buffer, len(v.contexts))
	views := make([]*view, len(v.contexts))
	for i, name := range v.contexts {
		views[i] = v.in(name)
	}
	err := a.inEach(ctx, v.contexts, func(ctx context.Context, i int, app *App) error {
		ctx, stop := context.WithTimeout(ctx, contextTimeout)
		defer stop()
		app.Out = &parts[i]
		err := show(ctx, app, views[i])
		views[i].problems = problemsIn(v.contexts[i], views[i].problems, err)
		return err
	})
	if v.printer != nil {
		var items []render.Item
		for i, one := range views {
			for _, item := range one.items {
				item.Context = v.contexts[i]
				items = append(items, item)
			}
			v.problems = append(v.problems, one.problems...)
		}
		_, shown := a.showItems(v, items)
		return firstError(shown, err)
	}
	for i, name := range v.contexts {
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

// in is the view of one of several clusters.
func (v *view) in(name string) *view {
	one := &view{catalogFlags: v.catalogFlags, clusterFlags: v.clusterFlags, output: v.output, printer: v.printer, noHeaders: v.noHeaders, exitCode: v.exitCode, strict: v.strict, noGroup: v.noGroup,
		below: v.below, up: v.up, all: v.all, engine: v.engine, explain: v.explain, logLines: v.logLines, collect: true}
	one.context, one.contexts = name, []string{name}
	return one
}

// waitInMany waits in several clusters at once. Each line names its context; the exit code is the worst.
func (a *App) waitInMany(ctx context.Context, contexts []string, one func(context.Context, *App, string) error) error {
	var mu sync.Mutex
	return a.inEach(ctx, contexts, func(ctx context.Context, i int, app *App) error {
		out := &contextLines{mu: &mu, app: a, name: contexts[i]}
		defer out.flush()
		app.Out = out
		return one(ctx, app, contexts[i])
	})
}

// contextLines writes whole lines with the context that they are of before them.
type contextLines struct {
	mu   *sync.Mutex
	app  *App
	name string
	rest []byte
}

// Write is a method of io.Writer.
func (w *contextLines) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := w.rest[:end+1]
		w.mu.Lock()
		_, err := fmt.Fprintf(w.app.Out, "%s\t%s", w.name, line)
		w.mu.Unlock()
		if w.rest = w.rest[end+1:]; err != nil {
			return 0, err
		}
	}
}

func (w *contextLines) flush() {
	if len(w.rest) > 0 {
		_, _ = w.Write([]byte("\n"))
	}
}

// inEach runs something for each context at once, with an app of its own that is no terminal, says what went wrong, and gives the worst
// exit code.
func (a *App) inEach(ctx context.Context, contexts []string, run func(context.Context, int, *App) error) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	errs := make([]error, len(contexts))
	for i, name := range contexts {
		app := a.with(&contextWriter{&mu, a.Err, name})
		wait.Go(func() { errs[i] = run(ctx, i, app) })
	}
	wait.Wait()
	worst := ExitOK
	for i, err := range errs {
		if err == nil {
			continue
		}
		if text := strings.TrimSpace(err.Error()); text != "" {
			fmt.Fprintf(a.Err, "%s: context %s: %s\n", a.Name, contexts[i], text)
		}
		if code := codeOf(err); worse(code, worst) {
			worst = code
		}
	}
	if worst == ExitOK {
		return nil
	}
	return &exit{worst, nil}
}

// with is an app for one of several clusters: no terminal, and errors of its own.
func (a *App) with(err io.Writer) *App {
	return &App{In: a.In, Out: a.Out, Err: err, Env: a.Env, Now: a.Now, Width: a.Width, Height: a.Height, Name: a.Name}
}
