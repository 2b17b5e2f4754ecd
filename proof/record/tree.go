// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A tree is a copy of the files that git knows, changed ones as they are now. Patches are applied to it one at a time.
type tree struct {
	source, folder string
}

// copyTree copies the repository that root is in into a temporary folder, which remove deletes. It links the folder ../shared as well.
func copyTree(ctx context.Context, root string) (*tree, func(), error) {
	source, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, err
	}
	list := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = source
	names, err := list.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("git ls-files: %w", err)
	}
	temporary, err := os.MkdirTemp("", "tristate-record-")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { os.RemoveAll(temporary) }
	t := &tree{source: source, folder: filepath.Join(temporary, "tree")}
	for _, name := range strings.Split(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if err := t.restore(name); err != nil {
			remove()
			return nil, nil, err
		}
	}
	// Tests find what was built before, and the examinations, where they are in the source.
	for from, to := range map[string]string{
		filepath.Join(source, "bin"):          filepath.Join(t.folder, "bin"),
		filepath.Join(source, "..", "shared"): filepath.Join(temporary, "shared"),
	} {
		if _, err := os.Stat(from); err == nil {
			if err := os.Symlink(from, to); err != nil {
				remove()
				return nil, nil, err
			}
		}
	}
	return t, remove, nil
}

// restore copies one file or link of the source again; a file that the source does not have is removed.
func (t *tree) restore(name string) error {
	from, to := filepath.Join(t.source, name), filepath.Join(t.folder, name)
	info, err := os.Lstat(from)
	if errors.Is(err, os.ErrNotExist) {
		return os.RemoveAll(to)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// bringBack applies the patch of a row, expects its test to fail, and takes the patch back.
func (t *tree) bringBack(ctx context.Context, r row) error {
	defer func() {
		for _, name := range r.files() {
			if err := t.restore(name); err != nil {
				panic(fmt.Sprintf("record: the copy cannot be made again: %v", err))
			}
		}
	}()
	if err := r.apply(ctx, t.folder); err != nil {
		return err
	}
	module := filepath.Join(t.folder, r.Test.Module)
	program := filepath.Join(filepath.Dir(t.folder), "row.test")
	if out, err := command(ctx, module, "go", "test", "-vet=off", "-c", "-o", program, r.Test.Package); err != nil {
		return fmt.Errorf("it does not compile with the patch:\n%s", out)
	}
	out, err := command(ctx, filepath.Join(module, r.Test.Package), program, "-test.v", "-test.timeout=4m", "-test.run", pattern(r.Test.Name))
	return red(r.Test.Name, out, err)
}

// apply applies the patch of a row to the files below a folder, or with --check tries only. One line around a change has to be as it was.
func (r row) apply(ctx context.Context, folder string, options ...string) error {
	apply := exec.CommandContext(ctx, "git", append([]string{"apply", "-C1", "--whitespace=nowarn"}, options...)...)
	apply.Dir, apply.Stdin = folder, strings.NewReader(r.Patch)
	// The copy is no repository: git must not find one above it.
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	if out, err := apply.CombinedOutput(); err != nil {
		return fmt.Errorf("the patch does not apply: %s", bytes.TrimSpace(out))
	}
	return nil
}

// pattern matches a test or subtest by its whole name.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + part + "$"
	}
	return strings.Join(parts, "/")
}

// red is nil if that test itself failed.
func red(name, out string, err error) error {
	if err == nil {
		return fmt.Errorf("%s stays green or does not exist:\n%s", name, out)
	}
	if !strings.Contains(out, "--- FAIL: "+name) && !strings.Contains(out, "panic: ") {
		return fmt.Errorf("%s did not run to its end: %v\n%s", name, err, out)
	}
	return nil
}

func command(ctx context.Context, folder, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "TRISTATE_PATIENCE=1m") // a bug may make a test wait in vain
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(out), err
}
