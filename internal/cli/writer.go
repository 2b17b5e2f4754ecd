// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"sync"

	"github.com/tristate/tristate/internal/fleet/render"
)

// plainWriter writes messages, which may quote servers, objects and files, without control characters. Each call is
// one message.
type plainWriter struct{ w io.Writer }

// Write implements [io.Writer].
func (w plainWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.w, render.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// checkedWriter is the output of every command. It keeps the first error and writes nothing more: a command whose output was lost on a
// full disk or a closed pipe fails.
type checkedWriter struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

// Write implements [io.Writer].
func (w *checkedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(p)
	if err != nil {
		w.err = fmt.Errorf("write the output: %w", err)
	}
	return n, w.err
}

// lost returns the first error of writing.
func (w *checkedWriter) lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
