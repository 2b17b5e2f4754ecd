// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

// grace is how long a command may take to end by itself after a signal, and slowGrace how long one that is slow, see [app.App].
const grace, slowGrace = 150 * time.Millisecond, 10 * time.Second

// Main runs the command of this process and returns its exit code. The first SIGINT or SIGTERM ends the context of the command, and the
// command itself when it does not react in time: it may be reading from a terminal. A second signal kills the process at once.
func (a *App) Main(args []string) int {
	klog.SetLogger(logr.Discard())     // client-go does not write between the lines of a command
	cobra.EnableCommandSorting = false // help begins with what most people came for
	a.Own = true
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan int, 1)
	go func() { done <- a.Run(ctx, args) }()
	select {
	case code := <-done:
		return code
	case <-signals:
	}
	signal.Stop(signals) // from now on a signal has its default effect
	cancel()
	limit := grace
	if a.Slow.Load() {
		limit = slowGrace
	}
	select {
	case <-done:
	case <-time.After(limit):
	}
	return exit.Interrupted
}
