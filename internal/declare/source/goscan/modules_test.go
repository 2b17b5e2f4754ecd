// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestModules scans Go modules of others, which it downloads, and prints the share of their reason sites that is resolved, the duration,
// and every site that is not resolved. TRISTATE_SCAN names them, as MODULE@VERSION with spaces between. At least nine of ten sites must be
// resolved.
func TestModules(t *testing.T) {
	modules := strings.Fields(os.Getenv("TRISTATE_SCAN"))
	if len(modules) == 0 {
		t.Skip("TRISTATE_SCAN names no modules; see make scan in this folder")
	}
	for _, module := range modules {
		t.Run(module, func(t *testing.T) {
			dir := fetch(t, module)
			start := time.Now()
			scan, err := Scan(t.Context(), dir, Options{FromSource: true, Env: complete()})
			if err != nil {
				t.Fatal(err)
			}
			resolved, total, by := scan.Count()
			t.Logf("%d of %d reason sites resolved (%.1f %%), %d lines in %.1f s: %v", resolved, total, 100*float64(resolved)/float64(max(total, 1)),
				scan.Lines,
				time.Since(start).Seconds(), by)
			for _, fault := range scan.Faults {
				t.Log("not read completely: ", fault)
			}
			for _, site := range scan.Sites {
				if !site.Resolved() {
					t.Logf("%s: %s", site.Position, texts(site.Reason))
				}
			}
			if 10*resolved < 9*total {
				t.Errorf("%d of %d sites are resolved", resolved, total)
			}
		})
	}
}

// fetch copies a module out of the module cache, where it is downloaded to, so that it can be scanned as a checkout is. It drops
// replacements by folders that the module does not have, as those of a repository with several modules: then the released module counts.
func fetch(t *testing.T, version string) string {
	t.Helper()
	var module struct{ Dir string }
	goCommand(t, "", &module, "mod", "download", "-json", version)
	dir := filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	goCommand(t, dir, &file, "mod", "edit", "-json")
	for _, r := range file.Replace {
		if _, err := os.Stat(filepath.Join(dir, r.New.Path)); r.New.Version != "" || err == nil {
			continue
		}
		goCommand(t, dir, nil, "mod", "edit", "-dropreplace", strings.TrimSuffix(r.Old.Path+"@"+r.Old.Version, "@"))
		goCommand(t, dir, nil, "mod", "download", r.Old.Path)
	}
	return dir
}

// complete returns an environment in which the go command may complete go.sum: that of a module with a dropped replacement is not complete.
func complete() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"))
}

// goCommand runs the go command and decodes its output, which is JSON, into a pointer; nil: it is not read.
func goCommand(t *testing.T, dir string, into any, args ...string) {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir, c.Env = dir, complete()
	out, err := c.Output()
	if err == nil && into != nil {
		err = json.Unmarshal(out, into)
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(append(failed.Stderr, out...)))
	}
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
}
