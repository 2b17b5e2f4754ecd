// SPDX-License-Identifier: Apache-2.0

package components

import (
	"io"
	"os"
	"syscall"
	"time"

	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// orphanGrace is how long a component without supervisor may take to stop before it is ended.
const orphanGrace = 2 * time.Second

// WatchLifeline asks this process to stop when the supervisor is gone, and ends it when it does not. The hook, if any, runs
// before that. Unlike a parent-death signal this does not depend on threads and works on every Unix.
func WatchLifeline(hook func()) {
	pipe := os.NewFile(supervisor.LifelineFD, "lifeline")
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		if hook != nil {
			hook()
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		time.Sleep(orphanGrace)
		os.Exit(1)
	}()
}
