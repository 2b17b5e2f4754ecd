// SPDX-License-Identifier: Apache-2.0

package house

import (
	"bufio"
	"bytes"
	"errors"
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
	script, err := filepath.Abs(filepath.Join("..", "..", "tools", "gobuild.sh"))
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
	y.recorded()
}

// recorded checks that the lock has the checksum of the program.
func (y yard) recorded() {
	y.t.Helper()
	program := filepath.Join(y.dir, "bin", "yard")
	lock, err := os.ReadFile(program + ".lock")
	if err != nil {
		y.t.Fatal(err)
	}
	if want := checksum(y.t, program); string(lock) != want {
		y.t.Errorf("the lock has the checksum %q, want %q", lock, want)
	}
}

// checksum returns what cksum prints of a file on its standard input.
func checksum(t *testing.T, file string) string {
	t.Helper()
	data, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	cmd := exec.Command("cksum")
	cmd.Stdin = data
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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
	y.damage(func(file *os.File, size int64) error { return file.Truncate(size / 2) })
	if out, err := y.build().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	y.works()

	// Each file of the cache has its size and other bytes: Go sees no difference, so the person is told what may be wrong.
	y.damage(func(file *os.File, size int64) error {
		_, err := file.WriteAt(make([]byte, size-size/2), size/2)
		return err
	})
	if out, err := y.build().CombinedOutput(); err == nil || !strings.Contains(string(out), "the build cache is damaged: go clean -cache") {
		t.Fatalf("%v\n%s", err, out)
	}
	clean := y.build()
	if clean.Path, err = exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
	clean.Args = []string{"go", "clean", "-cache"}
	if out, err := clean.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := y.build().CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	y.works()
}

// damage changes each file of the cache.
func (y yard) damage(change func(file *os.File, size int64) error) {
	y.t.Helper()
	err := filepath.WalkDir(filepath.Join(y.dir, "cache"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "-d") {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(change(file, info.Size()), file.Close())
	})
	if err != nil {
		y.t.Fatal(err)
	}
}

// TestDamagedPlane: proof/localplane/build.sh keeps a program with the checksum of its build, and builds one with another checksum again.
func TestDamagedPlane(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "localplane")
	if err := os.WriteFile(program, []byte("a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program+".lock", []byte(checksum(t, program)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\necho this is go \"$@\" >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	build := func() (string, error) {
		cmd := exec.Command(filepath.Join("..", "localplane", "build.sh"), program)
		cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := build(); err != nil || out != "" {
		t.Errorf("a program that is whole: %v, %q", err, out)
	}
	if err := os.WriteFile(program, []byte("A program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := build(); err == nil || !strings.Contains(out, program+" is damaged: it is built again\nthis is go ") {
		t.Errorf("a program with another byte: %v, %q", err, out)
	}
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
