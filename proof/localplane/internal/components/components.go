// SPDX-License-Identifier: Apache-2.0

package components

import (
	"errors"
	"fmt"
	"io"

	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// Run runs a component with flags until it is stopped.
type Run func(flags []string) error

// Exited is the error of a component that has reported its failure itself.
type Exited int

func (code Exited) Error() string { return fmt.Sprintf("exit code %d", int(code)) }

// Main runs the component args[0], one of those built in or [supervisor.Program], with the flags args[1:] until it is stopped, and returns
// its exit code.
func Main(builtIn map[string]Run, args []string, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "localplane component: which one?")
		return 2
	}
	run, ok := builtIn[args[0]]
	if args[0] == supervisor.Program {
		run, ok = runProgram, true
	}
	if !ok {
		fmt.Fprintf(stderr, "localplane component: unknown component %q\n", args[0])
		return 2
	}
	err := run(args[1:])
	var exited Exited
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exited):
		return int(exited)
	}
	fmt.Fprintf(stderr, "%s: %v\n", args[0], err)
	return 1
}
