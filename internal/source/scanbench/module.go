// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fetch copies a module out of the module cache, where it is downloaded to, so that it can be scanned as a checkout is. Replacements by
// folders that the module does not have, as those of a repository with several modules are, are dropped: then the released module counts.
func fetch(version string) (dir string, remove func(), err error) {
	out, err := goCommand("", "mod", "download", "-json", version)
	if err != nil {
		return "", nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", nil, fmt.Errorf("go mod download: %w", err)
	}
	root, err := os.MkdirTemp("", "scanbench")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(root) } // a temporary folder
	dir = filepath.Join(root, "module")
	if err := os.CopyFS(dir, os.DirFS(module.Dir)); err != nil {
		remove()
		return "", nil, err
	}
	if err := local(dir); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// local drops the replacements of a module by folders that are not there.
func local(dir string) error {
	out, err := goCommand(dir, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var file struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &file); err != nil {
		return fmt.Errorf("go mod edit: %w", err)
	}
	for _, r := range file.Replace {
		if _, err := os.Stat(filepath.Join(dir, r.New.Path)); r.New.Version != "" || err == nil {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := goCommand(dir, "mod", "edit", "-dropreplace", old); err != nil {
			return err
		}
		if _, err := goCommand(dir, "mod", "download", r.Old.Path); err != nil {
			return err
		}
	}
	return nil
}

// environment lets the go command complete go.sum, which that of a module with a dropped replacement is not.
func environment() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"))
}

func goCommand(dir string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = environment()
	out, err := c.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("go %s: %s", strings.Join(args, " "), bytes.TrimSpace(append(failed.Stderr, out...)))
	}
	return out, err
}
