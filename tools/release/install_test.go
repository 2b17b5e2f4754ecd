// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestGoInstall serves the modules of this checkout from a folder as a module proxy does, each in a version of its own, and installs the
// command from there: without go.work, and without a replace. It compiles every package of ours once more, as another version of the
// module.
func TestGoInstall(t *testing.T) {
	if os.Getenv("TRISTATE_INSTALL") == "" {
		t.Skip("TRISTATE_INSTALL=1 compiles the command: 400 s on two busy cores")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const name, version = "github.com/tristate/tristate", "v0.987.0"
	data := read(t, filepath.Join(root, "go.mod"))
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Replace) > 0 {
		t.Errorf("go.mod replaces %s: go install refuses that", file.Replace[0].Old.Path)
	}
	proxy := t.TempDir()
	serve(t, proxy, root, module.Version{Path: name, Version: version})
	for _, required := range file.Require {
		if folder, ours := strings.CutPrefix(required.Mod.Path, name+"/"); ours {
			serve(t, proxy, filepath.Join(root, folder), required.Mod)
		}
	}
	gopath := t.TempDir()
	install := exec.CommandContext(t.Context(), "go", "install", "-ldflags", "-s -w", name+"/cmd/...@"+version)
	install.Dir = gopath // outside of the workspace
	cache := strings.TrimSpace(output(t, exec.Command("go", "env", "GOMODCACHE")))
	build := strings.TrimSpace(output(t, exec.Command("go", "env", "GOCACHE")))
	install.Env = append(os.Environ(), "GOPATH="+gopath, "GOMODCACHE="+filepath.Join(gopath, "pkg", "mod"), "GOCACHE="+build, "GOBIN="+
		filepath.Join(gopath, "bin"), "GOWORK=", "CGO_ENABLED=0",
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -modcacherw",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(cache)+"/cache/download", "GONOSUMDB=*")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := output(t, exec.Command(filepath.Join(gopath, "bin", "tristate"), "version")); !strings.Contains(got, version) {
		t.Errorf("tristate version prints %q, want %s", got, version)
	}
	if got := output(t, exec.Command(filepath.Join(gopath, "bin", "tristate-scan"), root+"/examples/toolpolicy")); !strings.Contains(got, `"Reason"`) {
		t.Errorf("tristate-scan prints %q", got)
	}
}

// serve puts the files of a module that git knows into a folder as GOPROXY reads it.
func serve(t *testing.T, proxy, root string, m module.Version) {
	t.Helper()
	files := t.TempDir()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	for _, name := range strings.Split(strings.TrimSuffix(output(t, list), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().IsRegular() { // a module has no symbolic links
			write(t, filepath.Join(files, name), read(t, filepath.Join(root, name)))
		}
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	write(t, filepath.Join(at, "list"), []byte(m.Version+"\n"))
	write(t, filepath.Join(at, m.Version+".info"), fmt.Appendf(nil, `{"Version": %q, "Time": "2026-01-02T03:04:05Z"}`, m.Version))
	write(t, filepath.Join(at, m.Version+".mod"), read(t, filepath.Join(root, "go.mod")))
	archive, err := os.Create(filepath.Join(at, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := zip.CreateFromDir(archive, m, files); err != nil { // without the modules within
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	c.Stderr = io.Discard
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return string(out)
}
