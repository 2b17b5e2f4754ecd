// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestRelease follows the recipe of docs/architecture.md in a copy of this repository, and then does what strangers do with the release.
// The modules are served from a folder as a proxy does. It compiles every package of ours once more, as another version of the module.
func TestRelease(t *testing.T) {
	if os.Getenv("TRISTATE_INSTALL") == "" {
		t.Skip("TRISTATE_INSTALL=1 makes a release and compiles it: minutes on two busy cores")
	}
	const version = "v0.987.0"
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tree, out := filepath.Join(t.TempDir(), "tree"), filepath.Join(t.TempDir(), "dist")
	clone(t, top, tree)
	if err := prepare(tree, version); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		c.Dir = tree
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, text)
		}
	}
	git("init", "-q")
	git("add", "--force", ".")
	git("commit", "-q", "-m", "release")
	proxy := t.TempDir()
	for _, folder := range modules {
		git("tag", tag(folder, version))
		serve(t, proxy, filepath.Join(tree, folder), module.Version{Path: path.Join(root, folder), Version: version})
	}
	programs := map[string]string{"tristate": "./cmd/tristate", "tristate-scan": "./cmd/tristate-scan"}
	if err := run(t.Context(), &release{root: tree, programs: programs, version: version, out: out, tagged: true},
		runtime.GOOS+"/"+runtime.GOARCH); err != nil {
		t.Fatal(err)
	}

	home := t.TempDir() // outside of every workspace
	cache := strings.TrimSpace(output(t, exec.Command("go", "env", "GOMODCACHE")))
	build := strings.TrimSpace(output(t, exec.Command("go", "env", "GOCACHE")))
	upstream := strings.TrimSpace(output(t, exec.Command("go", "env", "GOPROXY")))
	archive := filepath.Join(home, "archive")
	do := func(dir, command string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "bash", "-euc", command)
		c.Dir, c.Env = dir, append(os.Environ(), "GOPATH="+home, "GOMODCACHE="+filepath.Join(home, "pkg", "mod"), "GOCACHE="+build,
			"GOBIN="+filepath.Join(home, "bin"), "GOWORK=", "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -modcacherw", "GONOSUMDB=*",
			"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(cache)+"/cache/download,"+upstream,
			"PATH="+archive+string(os.PathListSeparator)+os.Getenv("PATH"))
		text, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, text)
		}
		return string(text)
	}
	do(home, "go install -ldflags '-s -w' "+root+"/cmd/...@"+version)
	if got := do(home, "bin/tristate version"); !strings.Contains(got, version) {
		t.Errorf("tristate version of go install prints %q, want %s", got, version)
	}
	if got := do(home, "bin/tristate-scan "+tree+"/examples/toolpolicy"); !strings.Contains(got, `"Reason"`) {
		t.Errorf("tristate-scan prints %q", got)
	}
	for _, folder := range modules {
		name := path.Join(root, folder)
		do(home, "mkdir -p "+path.Join("get", folder)+" && cd "+path.Join("get", folder)+" && go mod init example.com/get && go get "+name+"@"+version)
	}

	// The archive has what its user has: nothing of the checkout.
	for name, data := range untar(t, filepath.Join(out, fmt.Sprintf("tristate_%s_%s_%s.tar.gz", version[1:], runtime.GOOS, runtime.GOARCH))) {
		write(t, filepath.Join(archive, name), data)
	}
	do(archive, "chmod +x tristate tristate-scan")
	printed := do(home, "tristate init --operator Box.acme.example --dir box")
	project := filepath.Join(home, "box")
	mod := string(read(t, filepath.Join(project, "go.mod")))
	if !strings.Contains(mod, root+"/operator "+version+"\n") || strings.Contains(mod, "replace") {
		t.Errorf("the project of a released program:\n%s", mod)
	}
	for _, c := range regexp.MustCompile(`(?m)^  (.*?) *(#.*)?$`).FindAllStringSubmatch(printed, -1) {
		if c[1] != "make run" {
			do(project, c[1])
		}
	}
	do(project, "make generate")
	do(project, "go vet . ./box && go build -o box-operator . && make test")
}

// clone copies the files of a repository that git knows or would add.
func clone(t *testing.T, from, to string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = from
	for _, name := range strings.Split(strings.TrimSuffix(output(t, list), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(from, name))
		switch {
		case os.IsNotExist(err): // deleted, but not committed yet
		case err != nil:
			t.Fatal(err)
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(filepath.Join(from, name))
			if err == nil {
				err = os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755)
			}
			if err == nil {
				err = os.Symlink(target, filepath.Join(to, name))
			}
			if err != nil {
				t.Fatal(err)
			}
		default:
			write(t, filepath.Join(to, name), read(t, filepath.Join(from, name)))
		}
	}
}

// serve puts the files of a module into a folder as GOPROXY reads it.
func serve(t *testing.T, proxy, dir string, m module.Version) {
	t.Helper()
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	write(t, filepath.Join(at, "list"), []byte(m.Version+"\n"))
	write(t, filepath.Join(at, m.Version+".info"), fmt.Appendf(nil, `{"Version": %q, "Time": "2026-01-02T03:04:05Z"}`, m.Version))
	write(t, filepath.Join(at, m.Version+".mod"), read(t, filepath.Join(dir, "go.mod")))
	archive, err := os.Create(filepath.Join(at, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := zip.CreateFromDir(archive, m, dir); err != nil { // without the modules within
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
