// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestPrepare: in a prepared tree each released module requires the other ones in the version of the release, and nothing else of this
// repository; the recipe of docs/architecture.md tags each of them.
func TestPrepare(t *testing.T) {
	const version = "v1.2.3"
	dir := t.TempDir()
	for _, name := range []string{"go.work", "go.mod", "conditions/go.mod", "operator/go.mod", "statusreader/go.mod"} {
		write(t, filepath.Join(dir, name), read(t, filepath.Join("../..", name)))
	}
	if err := prepare(dir, version); err != nil {
		t.Fatal(err)
	}
	recipe := string(read(t, "../../docs/architecture.md"))
	released := map[string]bool{}
	for _, folder := range modules {
		file, err := modfile.Parse("go.mod", read(t, filepath.Join(dir, folder, "go.mod")), nil)
		if err != nil {
			t.Fatal(err)
		}
		released[file.Module.Mod.Path] = true
		if name := tag(folder, "vX.Y.Z"); !strings.Contains(recipe, "`"+name+"`") {
			t.Errorf("the recipe does not tag %s", name)
		}
	}
	for _, folder := range []string{".", "conditions", "operator", "statusreader"} { // which users get
		file, err := modfile.Parse("go.mod", read(t, filepath.Join(dir, folder, "go.mod")), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range file.Require {
			if strings.HasPrefix(r.Mod.Path, root) && (r.Mod.Version != version || !released[r.Mod.Path]) {
				t.Errorf("%s requires %s, which no proxy has", folder, r.Mod)
			}
		}
	}
	work, err := modfile.ParseWork("go.work", read(t, filepath.Join(dir, "go.work")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(work.Replace) != 1 || work.Replace[0].Old.Version != version {
		t.Errorf("go.work: %v", work.Replace)
	}
}

// TestVerify: a release is made of a commit that has the tags of every module, and of nothing else.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	commit := func(text string) {
		t.Helper()
		write(t, filepath.Join(dir, "file"), []byte(text))
		git("add", ".")
		git("commit", "-q", "-m", text)
	}
	verify := func(want string) {
		t.Helper()
		r := &release{root: dir, version: "v1.2.3", tagged: true}
		err := run(t.Context(), r, "none/none") // no such platform: what is not refused before fails there
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	commit("one")
	verify("there is no tag operator/v1.2.3: git tag operator/v1.2.3")
	for _, folder := range modules {
		git("tag", tag(folder, "v1.2.3"))
	}
	write(t, filepath.Join(dir, "stray"), []byte("x"))
	verify("the tree is not clean")
	commit("two")
	verify("tag v1.2.3 is at ")
	git("tag", "--force", "v1.2.3")
	verify("tag operator/v1.2.3 is at ")
}

// TestBuild_same: the bytes of a program do not depend on what is set for go build.
func TestBuild_same(t *testing.T) {
	r := &release{root: "../..", version: "v1.2.3"}
	var first []byte
	for _, set := range []map[string]string{{}, {"GOFLAGS": "-trimpath -gcflags=all=-dwarf=false -tags=netgo", "GOAMD64": "v3", "GOARM64": "v8.2"}} {
		for name, value := range set {
			t.Setenv(name, value)
		}
		binary, err := r.build(t.Context(), platform{"linux", runtime.GOARCH}, "./tools/schemagen")
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = binary
		} else if !bytes.Equal(first, binary) {
			t.Errorf("with %v the program has other bytes", set)
		}
	}
	if len(first) == 0 {
		t.Error("nothing was built")
	}
}
