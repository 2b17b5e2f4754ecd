// SPDX-License-Identifier: Apache-2.0

package world

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"time"
)

// Main runs the tests of a package and returns its exit code. Tests of worlds, and their scenarios, mostly wait for a controller: far more
// of them run at a time than there are processors, unless -parallel has another number. [Turn] bounds the worlds among them. This process
// and those that it starts collect garbage less often, unless GOGC has another number: they live for minutes.
func Main(m *testing.M) int {
	if err := flag.Set("test.parallel", "64"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		if err := os.Setenv("GOGC", "400"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// turns has an entry for each world of the process. Two of them keep two processors busy; each is half a gigabyte.
var turns = make(chan struct{}, 2)

// Turn waits until the process has few enough worlds, and makes one of this test until the test ends. [Start] and [Play] call it.
func Turn(t *testing.T) {
	t.Helper()
	turns <- struct{}{}
	t.Cleanup(func() { <-turns })
}

// Part is a part of a test.
type Part struct {
	Name string
	Run  func(*testing.T)
}

// InTurn runs parts of a test one after the other, on what they share. Each begins where the one before it ends, so none runs after one
// that failed.
func InTurn(t *testing.T, parts ...Part) {
	t.Helper()
	for _, p := range parts {
		if !t.Run(p.Name, p.Run) {
			t.FailNow()
		}
	}
}

// Slow logs a wait that took more than two seconds, at the line of the test that waits. If a period, a backoff or a
// lease ended it, use [World.Wake] or [World.Later].
func Slow(t *testing.T, since time.Time) {
	t.Helper()
	if waited := time.Since(since); waited > 2*time.Second {
		t.Logf("waited %s", waited.Round(100*time.Millisecond))
	}
}
