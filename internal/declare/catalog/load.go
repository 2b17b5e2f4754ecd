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
	"sync"
)

// Load parses, compiles and joins the catalogs of files, by name. It reports everything wrong at once as [Errors]; the set
// then holds the catalogs that are fine.
func Load(files map[string][]byte) (*Set, error) { return load(nil, files, Compile, nil) }

// LoadWith is like Load, and puts kinds that are compiled already before the kinds of the files.
func LoadWith(kinds []*Kind, files map[string][]byte) (*Set, error) {
	return load(kinds, files, Compile, nil)
}

// LoadOver is like LoadWith, with the compiled kinds after the kinds of the files.
func LoadOver(kinds []*Kind, files map[string][]byte) (*Set, error) {
	return load(nil, files, Compile, kinds)
}

// LoadShipped is Load for files that come with the module, by [CompileShipped].
func LoadShipped(files map[string][]byte) (*Set, error) { return load(nil, files, CompileShipped, nil) }

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

// Unread is a document of a shipped file, which is parsed when Source is first called. An invalid document has an empty
// source: tests report it.
type Unread struct {
	Group  string // of its kinds; empty where each kind names its own
	Text   []byte
	Source func() *Source
}

// Groups lists the API groups of the kinds of the document, each once.
func (d *Unread) Groups() []string {
	if d.Group != "" {
		return []string{d.Group}
	}
	var out []string
	for _, kind := range d.Source().Spec.For.All() {
		if !slices.Contains(out, kind.Group) {
			out = append(out, kind.Group)
		}
	}
	return out
}

// DocumentsWith returns the documents of shipped files that have a text, by the names of the files.
func DocumentsWith(text string, fsys fs.FS) (out []Unread) {
	files, _ := ReadFS(fsys, ".")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for part := range bytes.SplitSeq(files[name], []byte("\n---\n")) {
			if bytes.Contains(part, []byte(text)) {
				_, rest, _ := bytes.Cut(part, []byte("for: {group: "))
				group, _, _ := bytes.Cut(rest, []byte(","))
				out = append(out, Unread{strings.Trim(string(group), `"`), part, sync.OnceValue(func() *Source {
					sources, _ := Parse(name, part)
					return append(sources, &Source{})[0]
				})})
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
