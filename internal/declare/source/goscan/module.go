// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Folders returns the folders to scan for the Go code below a folder, one a module: the folder itself, where it holds packages of the
// module that encloses it, and each module below it. It returns none where there is no Go code. Folders that the go command leaves out are
// left out here: testdata, vendor, and names that begin with a dot or an underscore. Tests alone are no code.
//
// Go code without a module is an error that names the file.
func Folders(dir string) ([]string, error) {
	dir, err := filepath.EvalSymlinks(dir) // a walk does not follow its root
	if err != nil {
		return nil, err
	}
	var out []string
	var walk func(folder, module string) error
	walk = func(folder, module string) error {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return fmt.Errorf("look for Go code: %w", err)
		}
		if module == "" || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "go.mod" && !e.IsDir() }) {
			module = folder
		}
		for _, entry := range entries {
			name, path := entry.Name(), filepath.Join(folder, entry.Name())
			switch {
			case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
			case entry.IsDir() && name != "testdata" && name != "vendor":
				if err := walk(path, module); err != nil {
					return err
				}
			case entry.Type().IsRegular() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(out, module):
				root, err := above(module, "go.mod")
				if err != nil {
					return err
				}
				if root == "" {
					return fmt.Errorf("%s: Go code without a module: neither %s nor a folder above it has a go.mod", path, module)
				}
				out = append(out, module)
			}
		}
		return nil
	}
	return out, walk(dir, "")
}

// above returns the nearest folder at or above a folder that has a file of a name; empty without one.
func above(dir, name string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && !info.IsDir() {
			return dir, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

// environment returns the environment of the go command for a module: without the workspace above it, if that does not list the module. The
// go command refuses every package of such a module.
func environment(env []string, module string) []string {
	if env == nil {
		env = os.Environ()
	}
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOWORK=") && v != "GOWORK=" }) {
		return env
	}
	workspace, err := above(module, "go.work")
	if err != nil || workspace == "" {
		return env
	}
	name := filepath.Join(workspace, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return env
	}
	file, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return env // the go command reports it
	}
	for _, use := range file.Use {
		path := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(workspace, path)
		}
		if path == module {
			return env
		}
	}
	return append(slices.Clip(env), "GOWORK=off")
}
