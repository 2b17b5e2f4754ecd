// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// root is the path of the root module.
const root = "github.com/tristate/tristate"

// modules are the folders of the modules that a release tags: those that users import, and what they require of this repository.
var modules = []string{"conditions", ".", "operator", "statusreader"}

// tag returns the tag of a version of a module.
func tag(folder, version string) string { return path.Join(folder, version) }

// prepare makes the released modules require each other in a version, in place of one that only this checkout has, and the workspace find
// that version here.
func prepare(dir, version string) error {
	for _, folder := range modules {
		name := filepath.Join(dir, folder, "go.mod")
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		file, err := modfile.Parse(name, data, nil)
		if err != nil {
			return err
		}
		for _, r := range file.Require {
			if r.Mod.Path == root || strings.HasPrefix(r.Mod.Path, root+"/") {
				if err := file.AddRequire(r.Mod.Path, version); err != nil {
					return err
				}
			}
		}
		if data, err = file.Format(); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	name := filepath.Join(dir, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return err
	}
	for _, replace := range file.Replace {
		r := *replace // which the drop empties
		err = errors.Join(err, file.DropReplace(r.Old.Path, r.Old.Version), file.AddReplace(r.Old.Path, version, r.New.Path, ""))
	}
	file.Cleanup()
	return errors.Join(err, os.WriteFile(name, modfile.Format(file.Syntax), 0o644))
}

// verify makes sure that the tree is the one of the commit, and that every module is tagged there.
func (r *release) verify(ctx context.Context) error {
	changed, err := r.git(ctx, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("the tree is not clean, and a release is made of a commit: commit or remove\n%s", changed)
	}
	var errs []error
	for _, folder := range modules {
		name := tag(folder, r.version)
		if commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "refs/tags/"+name+"^{commit}"); err != nil {
			errs = append(errs, fmt.Errorf("there is no tag %s: git tag %s", name, name))
		} else if commit != r.commit {
			errs = append(errs, fmt.Errorf("tag %s is at %.12s, not at HEAD %.12s", name, commit, r.commit))
		}
	}
	return errors.Join(errs...)
}

// git returns the output of a git command in the repository.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
