// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/tristate/tristate/internal/cli/app"
)

// startPage starts this command's ui in a process of its own, as a user would, and prints the address of the page.
func startPage(ctx context.Context, a *app.App, kubeconfig string) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "ui", "--kubeconfig", kubeconfig)
	cmd.Args[0] = "tristate"
	cmd.Stderr = &log
	interrupt := func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Cancel = interrupt
	cmd.WaitDelay = 20 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = interrupt()
		return nil, fmt.Errorf("tristate ui: %w\n%s", cmd.Wait(), log.String())
	}
	fmt.Fprintf(a.Out, "\nopen the page in a browser: %s", address)
	return func() error {
		_ = interrupt()
		_ = cmd.Wait() // it ends by the signal
		return nil
	}, nil
}
