// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export"
)

// consumer is a tool for which gen writes what it reads.
type consumer struct {
	name, short, long, example string
	// instead is the way that works for a kind which the product cannot have.
	instead string
	// add adds the flags of the product, and returns the function that generates it after they were parsed.
	add func(*pflag.FlagSet) func([]*export.Subject) (*export.Product, error)
}

// command returns the sub-command of a consumer.
func (e consumer) command(a *app.App, to put) *cobra.Command {
	var catalogs flags.Catalogs
	out, differences, skip := "-", false, false
	c := &cobra.Command{Use: e.name + " KIND ...", Short: e.short, Example: e.example,
		Long: e.long + " KIND is Kind.group, or Kind where one group has it, of a catalog or a rule pack. --out names a directory; by default " +
			"the files go to " +
			"standard output, with their names if there are several. A file that tristate gen did not write is not overwritten. A kind that the " +
			"product cannot have is an error.",
		Args: flags.Some("gen " + e.name + ": name a kind, as Certificate.cert-manager.io")}
	generate := e.add(c.Flags())
	catalogs.Add(c.Flags())
	c.Flags().StringVar(&out, "out", "-", "directory to write to; - for standard output")
	c.Flags().BoolVar(&differences, "differences", false, "print what the consumer cannot express, as JSON, in place of the files")
	c.Flags().BoolVar(&skip, "skip-unsupported", false, "leave out kinds that the product cannot have, in place of failing")
	c.RunE = func(_ *cobra.Command, args []string) error {
		set, err := catalogs.Load()
		if err != nil {
			return err
		}
		packs, err := pack.Shipped()
		if err != nil {
			return err
		}
		subjects, err := export.Subjects(args, set, packs)
		if err != nil {
			return exit.With(exit.NotFound, err)
		}
		product, err := generate(subjects)
		if err != nil {
			return err
		}
		if differences {
			encoder := json.NewEncoder(a.Out)
			encoder.SetIndent("", "  ")
			return encoder.Encode(append([]export.Difference{}, product.Differences...))
		}
		if left := product.LeftOut(subjects); len(left) > 0 {
			text := fmt.Sprintf("gen %s cannot have\n  %s\n%s", e.name, strings.Join(left, "\n  "), e.instead)
			if !skip {
				return exit.With(exit.Findings, errors.New(text+"\n--skip-unsupported makes the product of the other kinds"))
			}
			fmt.Fprintln(a.Err, "note: "+text)
		}
		return write(a, to, product, out)
	}
	return c
}

// write writes a product to a directory, or to standard output. Notes go to standard error.
func write(a *app.App, to put, p *export.Product, out string) error {
	for _, note := range p.Notes {
		fmt.Fprintln(a.Err, "note: "+note)
	}
	for _, f := range p.Files {
		if out != "-" {
			if err := to(filepath.Join(out, filepath.FromSlash(f.Name)), f.Data); err != nil {
				return err
			}
			continue
		}
		if len(p.Files) > 1 {
			fmt.Fprintf(a.Out, "==> %s\n", f.Name)
		}
		if _, err := a.Out.Write(f.Data); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file unless there is one that gen did not write.
func writeFile(name string, data []byte) error {
	old, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(bytes.TrimSpace(old)) > 0 && !generated(name, old):
		return exit.Usagef("%s was not written by tristate gen and is left alone: move it away, or choose another directory with --out", name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}
