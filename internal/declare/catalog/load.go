// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Load parses, compiles and joins the catalogs of files, by name. It reports everything wrong at once as [Errors]; the set
// then holds the catalogs that are fine.
func Load(files map[string][]byte) (*Set, error) { return load(nil, files, Compile, nil) }

// LoadWith is Load together with kinds that are compiled already, before those of the files.
func LoadWith(kinds []*Kind, files map[string][]byte) (*Set, error) {
	return load(kinds, files, Compile, nil)
}

// LoadOver is LoadWith with the kinds after those of the files.
func LoadOver(kinds []*Kind, files map[string][]byte) (*Set, error) {
	return load(nil, files, Compile, kinds)
}

// LoadShipped is Load for files that come with the module, by [CompileShipped].
func LoadShipped(files map[string][]byte) (*Set, error) { return load(nil, files, CompileShipped, nil) }

// ShippedFor reports whether a file that comes with the module has a catalog for an API group, without reading it as YAML: each names the
// group first.
func ShippedFor(group string, file []byte) bool {
	return bytes.Contains(file, []byte("for: {group: "+group+","))
}

func load(before []*Kind, files map[string][]byte, compile func(*Source) (*Kind, error), after []*Kind) (*Set, error) {
	var errs Errors
	collect := func(err error) {
		var many Errors
		var one *Error
		switch {
		case err == nil:
		case errors.As(err, &many):
			errs = append(errs, many...)
		case errors.As(err, &one):
			errs = append(errs, one)
		default:
			errs = append(errs, &Error{Message: err.Error()})
		}
	}
	kinds := slices.Clone(before)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sources, err := Parse(name, files[name])
		collect(err)
		for _, source := range sources {
			kind, err := compile(source)
			collect(err)
			if kind != nil {
				kinds = append(kinds, kind)
			}
		}
	}
	set, err := NewSet(append(kinds, after...)...)
	collect(err)
	return set, errs.err()
}

// DocumentsWith parses the documents of shipped files whose spec has a key, at the beginning of a line, by the names of the files. Nothing
// else is read, nothing is compiled, and what is not valid is left out: tests report it.
func DocumentsWith(key string, fsys fs.FS, root string) (out []*Source) {
	files, _ := ReadFS(fsys, root)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for part := range bytes.SplitSeq(files[name], []byte("\n---\n")) {
			if bytes.Contains(part, []byte("\n  "+key+":")) {
				sources, _ := Parse(name, part)
				out = append(out, sources...)
			}
		}
	}
	return out
}

// LoadFS loads what [ReadFS] reads.
func LoadFS(fsys fs.FS, root string) (*Set, error) {
	files, err := ReadFS(fsys, root)
	if err != nil {
		return nil, err
	}
	return Load(files)
}

// ReadFS reads every .yaml, .yml and .json file below root, or root itself where it is a file. Left out are directories named testdata,
// where the cases of catalogs are, hidden ones, as a mounted ConfigMap has them, and *.schema.json, the schemas for editors.
func ReadFS(fsys fs.FS, root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(fsys, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != root && (entry.Name() == "testdata" || entry.Name()[0] == '.') {
			return fs.SkipDir
		}
		ext := path.Ext(name)
		if entry.IsDir() || name != root && (strings.HasSuffix(name, ".schema.json") || ext != ".yaml" && ext != ".yml" && ext != ".json") {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		files[name] = data
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read catalogs: %w", err)
	}
	return files, nil
}
