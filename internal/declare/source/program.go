// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Scanner scans the code below a folder, a scan for each Go module. A folder without code has none.
type Scanner func(ctx context.Context, folder string) ([]*Scan, error)

// Program is the program that scans. It is in the folder of the running program, or in the PATH.
const Program = "tristate-scan"

// Format is the version of [Answer]. Both programs are of the same release where it is the same.
const Format = 1

// Answer is the output of the program.
type Answer struct {
	Format int
	Scans  []*Scan
}

// Run is the [Scanner] that runs the program. Without the program, or with one of another release, the error is how to get it. The message
// of a program that fails is the error.
func Run(ctx context.Context, folder string) ([]*Scan, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, path, folder)
	c.Stdout, c.Stderr = &stdout, &stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it runs the go command, and stops that
	c.WaitDelay = 5 * time.Second
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, errors.New(text)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var answer Answer
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || answer.Format != Format {
		return nil, fmt.Errorf("%s is of another release than this program: install both from the same", path)
	}
	return answer.Scans, nil
}

// find returns the path of the program.
func find() (string, error) {
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil { // kubectl plugins are links
			self = real
		}
		if path := filepath.Join(filepath.Dir(self), name); executable(path) {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("code is scanned by %s, which is neither in the folder of this program nor in the PATH: it is in the archive of the "+
			"release, or go install github.com/tristate/tristate/cmd/%s@latest", Program, Program)
	}
	return path, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
