// SPDX-License-Identifier: Apache-2.0

package components

import (
	"io"
	"os"
	"syscall"
	"time"

	"github.com/tristate/tristate/localplane/internal/supervisor"
)

// orphanGrace is how long a component without supervisor may take to stop before it is ended.
const orphanGrace = 2 * time.Second

// watchLifeline asks this process to stop when the supervisor is gone, ends it when it does not, and closes the returned
// channel first. Unlike a parent-death signal it does not depend on threads and works on every Unix.
func watchLifeline() <-chan struct{} {
	orphaned := make(chan struct{})
	pipe := os.NewFile(supervisor.LifelineFD, "lifeline")
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		close(orphaned)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(orphanGrace)
		os.Exit(1)
	}()
	return orphaned
}
