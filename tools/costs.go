// SPDX-License-Identifier: Apache-2.0

//go:build ignore

// Command costs runs a command and prints what it cost on standard error: the time, the processor time and the largest resident memory.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: costs COMMAND [ARGUMENT ...]")
		os.Exit(2)
	}
	c := exec.Command(os.Args[1], os.Args[2:]...)
	c.Stdout = os.Stdout
	start := time.Now()
	if err := c.Run(); c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Fprintf(os.Stderr, "%.1f s, processor %.1f s, %d MB\n", time.Since(start).Seconds(),
		(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), usage.Maxrss/1000)
}
