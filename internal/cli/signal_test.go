// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// signalled starts a command, waits until it is busy, sends it a signal and checks that it ends with code 130 within a few seconds, which
// is generous for the second that is promised: signalled INT|TERM stdin|SERVER command ...
//
// It is busy when it has read a megabyte of its standard input, which does not end, or when the fake server has a request that it will
// not answer.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: signalled INT|TERM stdin|SERVER command ...")
	}
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if file := filepath.Join(dir, args[2]); path == "" && isFile(file) {
			path = file
		}
	}
	cmd := exec.Command(path, args[3:]...)
	cmd.Args[0] = args[2]
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+ts.Getenv("KUBECONFIG"), "HOME="+ts.Getenv("HOME"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	if args[1] == "stdin" {
		_, err := io.WriteString(stdin, strings.Repeat("# a comment\n", 1<<20/12))
		ts.Check(err)
	} else {
		f, _ := running.Load(ts.Getenv("WORK") + args[1])
		select {
		case <-f.(*fakeAPI).asked:
		case <-time.After(5 * time.Minute):
			ts.Fatalf("the server was not asked; the command printed %s", out.String())
		}
	}
	ts.Check(cmd.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[0]]))
	err = cmd.Wait() // the server never answers, so only the signal ends it
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 130 {
		ts.Fatalf("%v: want exit code 130, got %v: %s", args[2:], err, out.String())
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
