// SPDX-License-Identifier: Apache-2.0

package components

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// runProgram is the component [supervisor.Program]. The program knows no lifeline; this process holds it instead, passes signals on and
// ends the program when the supervisor is gone.
func runProgram(args []string) error {
	if len(args) == 0 {
		return errors.New("no path")
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	WatchLifeline(func() { _ = cmd.Process.Kill() })
	go func() {
		for s := range stop {
			_ = cmd.Process.Signal(s)
		}
	}()
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return Exited(exit.ExitCode())
	}
	return err
}
