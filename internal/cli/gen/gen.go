// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/gen"
)

// options are those of one product.
type options struct {
	files []string
	out   string
	pkg   string
	kind  string
}

// Command returns the command.
func Command(a *app.App) *cobra.Command { return command(a, writeFile) }

// put writes a file, with the folders above it.
type put func(name string, data []byte) error

// command returns the command with another way to write files.
func command(a *app.App, to put) *cobra.Command {
	c := &cobra.Command{Use: "gen", Short: "Generate code, and what other tools read, from catalogs", Args: flags.KnownCommand,
		Long: "Generate code, and what other tools read, from catalogs. Without a product, write everything that the manifest " +
			ManifestFile + " lists, or with --check compare it with the files.",
		Example: "  tristate gen          # everything of the manifest\n  tristate gen --check  # in CI and before a commit"}
	for _, product := range []struct{ name, short, ext string }{
		{"go", "Constants, the declaration and typed calls", ".go"},
		{"rust", "Rust constants", ".rs"},
	} {
		o := &options{}
		sub := &cobra.Command{Use: product.name + " FILE ...", Short: product.short,
			Long: product.short + ". FILE is a catalog or a directory with catalogs. With one kind the file is zz_generated" + product.ext +
				" in --out; with several each has " +
				"a folder of its name. A file that tristate gen did not write is not overwritten.",
			Example: "  tristate gen " + product.name + " catalog.yaml --out api/",
			RunE: func(_ *cobra.Command, args []string) error {
				o.files = args
				return run(a, to, o, product.name, product.ext)
			}}
		sub.Flags().StringVar(&o.out, "out", ".", "directory to write to; - for standard output")
		sub.Flags().StringVar(&o.kind, "kind", "", "only this kind, as Kind or Kind.group")
		if product.name == "go" {
			sub.Flags().StringVar(&o.pkg, "package", "", "Go package (default: the kind in lower case)")
		}
		c.AddCommand(sub)
	}
	for _, e := range consumers {
		c.AddCommand(e.command(a, to))
	}
	addManifest(c, a)
	return c
}

func run(a *app.App, to put, o *options, product, ext string) error {
	if len(o.files) == 0 {
		return exit.Usagef("gen %s: name a catalog file", product)
	}
	if o.pkg != "" && (!token.IsIdentifier(o.pkg) || o.pkg == "_") {
		return exit.Usagef("--package %q is not a valid name of a Go package", o.pkg)
	}
	set, err := (&flags.Catalogs{Paths: o.files, NoEmbedded: true}).Load()
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
		return exit.With(exit.NotFound, fmt.Errorf("no catalog for kind %q in %s", o.kind, strings.Join(o.files, ", ")))
	}
	for _, k := range kinds {
		source := filepath.Base(cmp.Or(k.Source.At("spec").File, o.files[0]))
		var data []byte
		if product == "rust" {
			data = gen.Rust(k, source)
		} else if data, err = gen.Go(k, o.pkg, source); err != nil {
			return err
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
		if err := to(filepath.Join(dir, "zz_generated"+ext), data); err != nil {
			return err
		}
	}
	return nil
}
