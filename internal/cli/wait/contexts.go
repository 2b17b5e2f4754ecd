// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/tristate/tristate/internal/cli/view"

	"github.com/tristate/tristate/internal/cli/app"
)

// inContexts waits in several clusters at once. Each line names its context; the exit code is the worst.
func inContexts(ctx context.Context, a *app.App, contexts []string, one func(context.Context, *app.App, string) error) error {
	var mu sync.Mutex
	return view.ForEachContext(ctx, a, contexts, func(ctx context.Context, i int, own *app.App) error {
		out := &contextLines{mu: &mu, app: a, name: contexts[i]}
		defer out.flush()
		own.Out = out
		return one(ctx, own, contexts[i])
	})
}

// contextLines writes whole lines, each after its context.
type contextLines struct {
	mu   *sync.Mutex
	app  *app.App
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
