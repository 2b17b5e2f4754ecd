// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Catalogs are the flags that choose catalogs.
type Catalogs struct {
	Paths      []string
	NoEmbedded bool
	objects    map[string][]byte // ConditionCatalog objects among the judged ones
	groups     map[string]bool   // see ForGroups
	// noCluster leaves the catalogs of a cluster out; trustCluster lets them judge built-in kinds.
	noCluster, trustCluster bool
	fromCluster             map[schema.GroupKind]string // the catalogs of the cluster, by the kinds that they judge
	decided                 map[string]bool             // those of them that decided a verdict
}

// Add adds the flags.
func (f *Catalogs) Add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.Paths, "catalogs", nil, "files or directories with more catalogs")
	flags.BoolVar(&f.NoEmbedded, "no-embedded", false, "leave out the catalogs that come with the command")
}

// ForGroups names the API groups of all objects that there are. Embedded files without a catalog for one of them are not read then, as it
// takes some time, unless there are catalogs of the user, which may refer to any.
func (f *Catalogs) ForGroups(groups map[string]bool) { f.groups = groups }

// embedded are the files with the catalogs that come with the command.
var embedded = sync.OnceValue(func() map[string][]byte {
	files, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		panic(err) // a file system in memory
	}
	out := make(map[string][]byte, len(files))
	for name, data := range files {
		out["embedded:"+name] = data
	}
	return out
})

// shipped are their catalogs, by file. Each file is read once in a process, when it is needed: that takes some milliseconds.
var shipped = sync.OnceValue(func() map[string]func() (*catalog.Set, error) {
	out := map[string]func() (*catalog.Set, error){}
	for name, data := range embedded() {
		out[name] = sync.OnceValues(func() (*catalog.Set, error) { return catalog.LoadShipped(map[string][]byte{name: data}) })
	}
	return out
})

// needs reports whether a catalog of an embedded file is for one of the groups, without reading it as YAML: each names the group first.
func (f *Catalogs) needs(file []byte) bool {
	for group := range f.groups {
		if bytes.Contains(file, []byte("for: {group: "+group+",")) {
			return true
		}
	}
	return f.groups == nil
}

// Read returns the files of the catalogs, by name. A catalog of the user that judges or declares a kind replaces the embedded one of that
// kind.
func (f *Catalogs) Read() (map[string][]byte, error) {
	files, err := f.own()
	if err != nil || f.NoEmbedded {
		return files, err
	}
	replaced := claimed(files)
	for name, data := range embedded() {
		if files[name], err = without(name, data, replaced); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Load returns the catalogs of [Catalogs.Read].
func (f *Catalogs) Load() (*catalog.Set, error) {
	files, err := f.own()
	if err != nil {
		return nil, err
	}
	var kinds []*catalog.Kind
	replaced := claimed(files)
	for _, name := range slices.Sorted(maps.Keys(shipped())) {
		if f.NoEmbedded || len(files) == 0 && !f.needs(embedded()[name]) {
			continue
		}
		set, err := shipped()[name]()
		if err != nil {
			return nil, err
		}
		for _, k := range set.Kinds() {
			if !slices.ContainsFunc(replaced[k.For], k.Source.Spec.For.Overlaps) {
				kinds = append(kinds, k)
			}
		}
	}
	return catalog.LoadOver(kinds, files)
}

// own returns the files of the user, and the catalogs among the judged objects that they do not replace.
func (f *Catalogs) own() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, path := range f.Paths {
		more, err := ReadPath(path)
		if err != nil {
			return nil, err
		}
		maps.Copy(files, more)
	}
	replaced := claimed(files)
	for name, data := range f.objects {
		data, err := without(name, data, replaced)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// claimed returns the kinds for which catalogs declare more than relations, with the versions. An error in a file is reported when it is
// loaded.
func claimed(files map[string][]byte) map[schema.GroupKind][]catalog.For {
	out := map[schema.GroupKind][]catalog.For{}
	for name, data := range files {
		sources, _ := catalog.Parse(name, data)
		for _, s := range sources {
			if len(s.Spec.Conditions)+len(s.Spec.States)+len(s.Spec.Verdicts) > 0 {
				for _, gk := range s.Spec.For.All() {
					out[gk] = append(out[gk], s.Spec.For)
				}
			}
		}
	}
	return out
}

// without returns a file without the catalogs for a version of a claimed kind.
func without(name string, data []byte, kinds map[schema.GroupKind][]catalog.For) ([]byte, error) {
	if len(kinds) == 0 {
		return data, nil
	}
	sources, err := catalog.Parse(name, data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	dropped := false
	for _, s := range sources {
		all := s.Spec.For.All()
		left := slices.DeleteFunc(slices.Clone(all), func(gk schema.GroupKind) bool {
			return slices.ContainsFunc(kinds[gk], s.Spec.For.Overlaps)
		})
		if len(left) < len(all) {
			dropped = true
			if len(left) == 0 {
				continue
			}
			s.Spec.For.Kinds = nil // the others of several
			for _, gk := range left {
				name := gk.Kind
				if s.Spec.For.Group == "" {
					name = gk.String() // which names its group itself
				}
				s.Spec.For.Kinds = append(s.Spec.For.Kinds, name)
			}
		}
		text, err := s.YAML()
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(text)
	}
	if !dropped {
		return data, nil
	}
	return out.Bytes(), nil
}

// maxCatalogs bounds a file of catalogs, in bytes; the loader reads less.
const maxCatalogs = 64 << 20

// ReadPath returns the content of a file, or of those YAML and JSON files of a directory that hold catalogs, by name. A path without a
// catalog, and one that does not exist, is an error with code [exit.NotFound].
func ReadPath(path string) (map[string][]byte, error) {
	none := exit.With(exit.NotFound, fmt.Errorf("%s: no catalogs", path))
	info, err := os.Stat(path)
	if err != nil {
		return nil, exit.With(exit.NotFound, fmt.Errorf("read catalogs: %w", err))
	}
	if !info.IsDir() {
		data, err := input.ReadFile(path, maxCatalogs)
		if err != nil {
			return nil, exit.With(exit.NotFound, fmt.Errorf("read catalogs: %w", err))
		}
		if found, err := catalog.Parse(path, data); err == nil && len(found) == 0 {
			return nil, none
		}
		return map[string][]byte{path: data}, nil
	}
	found, err := catalog.ReadFS(os.DirFS(path), ".")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name, data := range found {
		if bytes.Contains(data, []byte("ConditionCatalog")) || bytes.Contains(data, []byte("tristate.dev/")) {
			out[filepath.Join(path, name)] = data
		}
	}
	if len(out) == 0 {
		return nil, none
	}
	return out, nil
}
