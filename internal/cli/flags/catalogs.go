// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/declare/catalog"
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

// needs reports whether a catalog of an embedded file is for one of the groups.
func (f *Catalogs) needs(file []byte) bool {
	for group := range f.groups {
		if catalog.ShippedFor(group, file) {
			return true
		}
	}
	return f.groups == nil
}

// Read returns the files of the catalogs, by name. A catalog of the user that judges or declares a kind replaces the embedded one of that
// kind.
func (f *Catalogs) Read() (map[string][]byte, error) {
	files, shipped, err := f.read()
	maps.Copy(files, shipped)
	return files, err
}

// read returns the files of the user and the embedded ones.
func (f *Catalogs) read() (files, shipped map[string][]byte, err error) {
	files, shipped = map[string][]byte{}, map[string][]byte{}
	for _, path := range f.Paths {
		more, err := ReadPath(path)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(files, more)
	}
	replaced := claimed(files)
	for name, data := range f.objects {
		data, err := without(name, data, replaced)
		if err != nil {
			return nil, nil, err
		}
		files[name] = data
	}
	if f.NoEmbedded {
		return files, nil, nil
	}
	replaced = claimed(files)
	embedded, err := catalog.ReadFS(catalogs.FS, ".")
	if err != nil {
		return nil, nil, err
	}
	for name, data := range embedded {
		if len(files) == 0 && !f.needs(data) {
			continue
		}
		if data, err = without(name, data, replaced); err != nil {
			return nil, nil, err
		}
		shipped["embedded:"+name] = data
	}
	return files, shipped, nil
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
				s.Spec.For.Kinds = append(s.Spec.For.Kinds, gk.Kind)
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

// ReadPath returns the content of a file, or of those YAML and JSON files of a directory that hold catalogs, by name. A path without a
// catalog, and one that does not exist, is an error with code [exit.NotFound].
func ReadPath(path string) (map[string][]byte, error) {
	none := exit.With(exit.NotFound, fmt.Errorf("%s: no catalogs", path))
	info, err := os.Stat(path)
	if err != nil {
		return nil, exit.With(exit.NotFound, fmt.Errorf("read catalogs: %w", err))
	}
	if !info.IsDir() {
		data, err := os.ReadFile(path)
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

// Load returns the catalogs.
func (f *Catalogs) Load() (*catalog.Set, error) {
	files, shipped, err := f.read()
	if err != nil {
		return nil, err
	}
	return catalog.LoadOver(shipped, files)
}
