// SPDX-License-Identifier: Apache-2.0

package components

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tristate/tristate/proof/localplane/internal/supervisor"
)

// TestMain is also the process of a component.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == supervisor.Command {
		os.Exit(Main(nil, os.Args[2:], os.Stderr))
	}
	os.Exit(m.Run())
}

// A program of this machine ends with its own exit code, or with the supervisor.
func TestProgram(t *testing.T) {
	t.Run("exit code", func(t *testing.T) {
		cmd, lifeline := program(t, "exit 7")
		defer lifeline.Close()
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 7 {
			t.Errorf("want exit code 7, got %v", err)
		}
	})
	t.Run("lifeline", func(t *testing.T) {
		cmd, lifeline := program(t, "echo $$; exec sleep 600")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := lifeline.Close(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", pid, err)
		}
	})
}

// program returns this process as a component that runs a shell script, and the end of its lifeline that the supervisor holds.
func program(t *testing.T, script string) (*exec.Cmd, *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	cmd := exec.Command(os.Args[0], supervisor.Command, supervisor.Program, "/bin/sh", "-c", script)
	cmd.ExtraFiles = []*os.File{read}
	cmd.Stderr = os.Stderr
	return cmd, write
}
