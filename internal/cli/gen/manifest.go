// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/export"
	"go.yaml.in/yaml/v3"
)

// ManifestFile is the manifest that gen reads without another one.
const ManifestFile = "tristate-gen.yaml"

// manifest says what a repository generates.
type manifest struct {
	APIVersion string  `yaml:"apiVersion"`
	Kind       string  `yaml:"kind"`
	Products   []entry `yaml:"products"`
}

// entry is one call of a product of gen. Paths are relative to the current folder.
type entry struct {
	// The name of the product, as behind tristate gen.
	Product string `yaml:"product"`
	// Its arguments: kinds, or files with catalogs.
	Args []string `yaml:"args"`
	// Its flags without --out, by name.
	Flags map[string]string `yaml:"flags"`
	// The directory of its files.
	Out string `yaml:"out"`
}

// readManifest reads a manifest; an unknown key is an error with its line.
func readManifest(file string) (*manifest, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.With(exit.NotFound, fmt.Errorf("%s does not exist: it lists what gen writes", file))
	} else if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	m := &manifest{}
	if err := d.Decode(m); err != nil {
		return nil, exit.Usagef("%s: %w", file, err)
	}
	if m.APIVersion != "tristate.dev/v1alpha1" || m.Kind != "Generation" {
		return nil, exit.Usagef("%s: want apiVersion tristate.dev/v1alpha1 and kind Generation", file)
	}
	for i, e := range m.Products {
		_, given := e.Flags["out"]
		switch {
		case e.Product == "", e.Out == "", len(e.Args) == 0:
			return nil, exit.Usagef("%s: products[%d]: product, args and out are required", file, i)
		case given:
			return nil, exit.Usagef("%s: products[%d]: name the directory in out, not in flags", file, i)
		}
	}
	return m, nil
}

// generate runs the products of a manifest.
func (m *manifest) generate(c *cobra.Command, a *app.App, to put) error {
	for i, e := range m.Products {
		sub := command(a, to)
		if !slices.ContainsFunc(sub.Commands(), func(c *cobra.Command) bool { return c.Name() == e.Product }) {
			return exit.Usagef("products[%d]: gen has no product %q", i, e.Product)
		}
		args := []string{e.Product, "--out", e.Out}
		for _, name := range slices.Sorted(maps.Keys(e.Flags)) {
			args = append(args, "--"+name+"="+e.Flags[name])
		}
		sub.SilenceErrors, sub.SilenceUsage = true, true
		sub.SetArgs(append(append(args, "--"), e.Args...))
		if err := sub.ExecuteContext(c.Context()); err != nil {
			return fmt.Errorf("products[%d] (%s): %w", i, e.Product, err)
		}
	}
	return nil
}

// contents returns the files that the products would write, by name.
func (m *manifest) contents(c *cobra.Command, a *app.App) ([]export.File, error) {
	var out []export.File
	for i := range m.Products {
		m.Products[i].Out += "/" // also - is a directory
	}
	err := m.generate(c, a.Detached(io.Discard), func(name string, data []byte) error {
		out = append(out, export.File{Name: name, Data: data})
		return nil
	})
	slices.SortStableFunc(out, func(a, b export.File) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// checkFresh compares what the products would write with what is there, and reports each file that differs, is missing or is left over. It
// writes nothing.
func (m *manifest) checkFresh(c *cobra.Command, a *app.App) error {
	files, err := m.contents(c, a)
	if err != nil {
		return err
	}
	want := map[string][]byte{}
	folders := map[string]bool{}
	for _, f := range files {
		want[f.Name] = f.Data
		folders[filepath.Dir(f.Name)] = true
	}
	stale := 0
	report := func(name, what string) {
		stale++
		fmt.Fprintf(a.Out, "%s: %s\n", name, what)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		have, err := os.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report(name, "missing")
		case err != nil:
			return err
		case !bytes.Equal(have, want[name]):
			report(name, fmt.Sprintf("stale from line %d on", firstDifference(have, want[name])))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, d := range entries {
			name := filepath.Join(dir, d.Name())
			if _, known := want[name]; known || d.IsDir() {
				continue
			}
			if data, err := os.ReadFile(name); err == nil && generated(name, data) {
				report(name, "left over: no product of the manifest writes it")
			}
		}
	}
	if stale > 0 {
		return exit.With(exit.Findings, errors.New("generated files are not fresh: run tristate gen"))
	}
	return nil
}

// generated reports whether gen wrote a file: its first line says so, or, in a language without comments, any line.
func generated(name string, data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if strings.HasSuffix(name, ".json") {
		line = data
	}
	return bytes.Contains(line, []byte(export.Mark))
}

// firstDifference returns the first line that differs, from 1.
func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}

// addManifest makes gen without a product read the manifest.
func addManifest(c *cobra.Command, a *app.App) {
	file, check, installed := "", false, false
	var connection flags.Connection
	c.Flags().StringVar(&file, "manifest", ManifestFile, "without a product: file that lists what gen writes")
	c.Flags().BoolVar(&check, "check", false, "without a product: write nothing, and exit with 1 if a file is missing, stale or left over")
	c.Flags().BoolVar(&installed, "installed", false, "without a product: write nothing, and exit with 1 if a cluster does not have what "+
		"would be written")
	connection.Add(c.Flags())
	c.RunE = func(c *cobra.Command, _ []string) error {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !check && !installed && !c.Flags().Changed("manifest") {
			_ = c.Help() // if standard output fails, so does every other line
			return exit.With(exit.NotFound, fmt.Errorf("there is no %s here: name a product, or write that manifest", file))
		}
		m, err := readManifest(file)
		if err != nil {
			return err
		}
		switch {
		case check && installed:
			return exit.Usagef("--check compares files, --installed a cluster: leave one out")
		case check:
			return m.checkFresh(c, a)
		case installed:
			return m.checkInstalled(c, a, &connection)
		}
		return m.generate(c, a, writeFile)
	}
}
