// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// yard is a folder with a module of one program, and caches of its own.
type yard struct {
	t           *testing.T
	dir, script string
}

func newYard(t *testing.T) yard {
	t.Helper()
	if os.Getenv("TRISTATE_INSTALL") != "1" {
		t.Skip("make test-install has it: it compiles the runtime into empty caches, four times")
	}
	script, err := filepath.Abs(filepath.Join("..", "..", "..", "tools", "gobuild.sh"))
	if err != nil {
		t.Fatal(err)
	}
	y := yard{t: t, dir: t.TempDir(), script: script}
	for name, text := range map[string]string{"go.mod": "module yard\n\ngo 1.26.0\n",
		"main.go": "package main\n\nfunc main() { println(\"built\") }\n"} {
		if err := os.WriteFile(filepath.Join(y.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return y
}

// build returns the build, without network, C compiler and workspace.
func (y yard) build(env ...string) *exec.Cmd {
	cmd := exec.Command(y.script, "what it is for", y.dir, ".", filepath.Join(y.dir, "bin", "yard"))
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "CC=/nonexistent", "GOCACHE="+
		filepath.Join(y.dir, "cache"))
	cmd.Env = append(cmd.Env, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// works checks that the program runs and that nothing else is left where it was built.
func (y yard) works() {
	y.t.Helper()
	out, err := exec.Command(filepath.Join(y.dir, "bin", "yard")).CombinedOutput()
	if err != nil || string(out) != "built\n" {
		y.t.Errorf("the program: %v, %q", err, out)
	}
	y.onlyLeaves("yard", "yard.lock")
	size, err := os.ReadFile(filepath.Join(y.dir, "bin", "yard.lock"))
	if err != nil {
		y.t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(y.dir, "bin", "yard"))
	if err != nil {
		y.t.Fatal(err)
	}
	if want := fmt.Sprintln(info.Size()); string(size) != want {
		y.t.Errorf("the lock has the size %q, want %q", size, want)
	}
}

func (y yard) onlyLeaves(names ...string) {
	y.t.Helper()
	entries, err := os.ReadDir(filepath.Join(y.dir, "bin"))
	if err != nil {
		y.t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(names, entry.Name()) {
			y.t.Errorf("%s is left", entry.Name())
		}
	}
}

// TestBuildSurvives: an interrupt, a cache that was damaged meanwhile, and a second build at the same time.
func TestBuildSurvives(t *testing.T) {
	y := newYard(t)

	// An interrupt while packages are compiled: nothing is left, running or on disk.
	cmd := y.build()
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), "what it is for: ") || !strings.HasSuffix(lines.Text(), "packages to compile") {
		t.Errorf("the first line: %q", lines.Text())
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // until the last process has closed its standard error
	}
	if err := cmd.Wait(); err == nil {
		t.Error("an interrupted build ends with 0")
	}
	y.onlyLeaves("yard.lock")

	// Two at once: both end well, and the second says that it waits, unless the first was done by then.
	first, second := y.build(), y.build()
	var said bytes.Buffer
	second.Stderr = &said
	if err := errors.Join(first.Start(), second.Start()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Wait(), second.Wait()); err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	y.works()

	// Half of each file of the cache is gone.
	err = filepath.WalkDir(filepath.Join(y.dir, "cache"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "-d") {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := y.build().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	y.works()
}

// TestBuildFails: the error of the compiler is shown, and a disk that is nearly full is mentioned.
func TestBuildFails(t *testing.T) {
	y := newYard(t)
	tools := t.TempDir()
	df := "#!/bin/sh\necho Filesystem 1024-blocks Used Available\necho disk 100000 99000 1000 99% /\n"
	if err := os.WriteFile(filepath.Join(tools, "df"), []byte(df), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(y.dir, "main.go"), []byte("package main\n\nfunc main() { nothing() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := y.build("PATH=" + tools + string(filepath.ListSeparator) + os.Getenv("PATH")).CombinedOutput()
	if err == nil {
		t.Error("a build that fails ends with 0")
	}
	for _, want := range []string{"undefined: nothing", "only 0 MB are free for the build cache", "yard was not built"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("want %q in:\n%s", want, out)
		}
	}
	y.onlyLeaves("yard.lock")
}
