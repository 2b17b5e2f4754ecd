// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/gen"
)

// genOptions are those of one product.
type genOptions struct {
	files []string
	out   string
	pkg   string
	kind  string
}

func (a *App) gen() *cobra.Command {
	c := &cobra.Command{Use: "gen", Short: "Generate code from catalogs", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	for _, product := range []struct{ name, short, ext string }{
		{"go", "Constants, the declaration and typed calls", ".go"},
		{"ts", "TypeScript constants and literal types", ".ts"},
		{"rust", "Rust constants", ".rs"},
	} {
		o := &genOptions{}
		sub := &cobra.Command{Use: product.name, Short: product.short, Args: cobra.NoArgs,
			Long: product.short + ". With one kind the file is zz_generated" + product.ext + " in --out; with several each has a folder of its name.",
			RunE: func(*cobra.Command, []string) error { return a.runGen(o, product.name, product.ext) }}
		sub.Flags().StringSliceVar(&o.files, "file", nil, "catalog files or directories (required)")
		sub.Flags().StringVar(&o.out, "out", ".", "directory to write to; - for standard output")
		sub.Flags().StringVar(&o.kind, "kind", "", "only this kind, as Kind or Kind.group")
		if product.name == "go" {
			sub.Flags().StringVar(&o.pkg, "package", "", "Go package (default: the kind in lower case)")
		}
		c.AddCommand(sub)
	}
	return c
}

func (a *App) runGen(o *genOptions, product, ext string) error {
	if len(o.files) == 0 {
		return usagef("gen %s: --file is missing", product)
	}
	flags := catalogFlags{paths: o.files, noEmbedded: true}
	set, err := flags.load()
	if err != nil {
		return err
	}
	var kinds []*catalog.Kind
	for _, k := range set.Kinds() {
		if o.kind == "" || o.kind == k.For.Kind || catalog.ParseGroupKind(o.kind) == k.For {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return &exit{ExitNotFound, fmt.Errorf("no catalog for kind %q in %s", o.kind, strings.Join(o.files, ", "))}
	}
	for _, k := range kinds {
		source := filepath.Base(cmp.Or(k.Source.At("spec").File, o.files[0]))
		var data []byte
		switch product {
		case "go":
			if data, err = gen.Go(k, o.pkg, source); err != nil {
				return err
			}
		case "ts":
			data = gen.TypeScript(k, source)
		default:
			data = gen.Rust(k, source)
		}
		if o.out == "-" {
			if _, err := a.Out.Write(data); err != nil {
				return err
			}
			continue
		}
		dir := o.out
		if len(kinds) > 1 {
			dir = filepath.Join(dir, gen.PackageName(k))
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "zz_generated"+ext), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
