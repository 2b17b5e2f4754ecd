// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
)

// catalogFlags choose catalogs.
type catalogFlags struct {
	paths      []string
	noEmbedded bool
}

func (f *catalogFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.paths, "catalogs", nil, "files or directories with more catalogs")
	flags.BoolVar(&f.noEmbedded, "no-embedded", false, "without the catalogs that come with the command")
}

// read gives the files, by name.
func (f *catalogFlags) read() (map[string][]byte, error) {
	files := map[string][]byte{}
	if !f.noEmbedded {
		embedded, err := catalog.ReadFS(catalogs.FS, ".")
		if err != nil {
			return nil, err
		}
		for name, data := range embedded {
			files["embedded:"+name] = data
		}
	}
	for _, path := range f.paths {
		more, err := readPath(path)
		if err != nil {
			return nil, err
		}
		maps.Copy(files, more)
	}
	return files, nil
}

// readPath reads a file, or the YAML and JSON files of a directory.
func readPath(path string) (map[string][]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read catalogs: %w", err)
	}
	if !info.IsDir() {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read catalogs: %w", err)
		}
		return map[string][]byte{path: data}, nil
	}
	found, err := catalog.ReadFS(os.DirFS(path), ".")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name, data := range found {
		out[filepath.Join(path, name)] = data
	}
	return out, nil
}

func (f *catalogFlags) load() (*catalog.Set, error) {
	files, err := f.read()
	if err != nil {
		return nil, err
	}
	return catalog.Load(files)
}
