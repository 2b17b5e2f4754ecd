// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/read/cluster"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/infer"
	"github.com/tristate/tristate/internal/read/input"
	"github.com/tristate/tristate/internal/read/relation"
)

// options are the flags.
type options struct {
	*view.View
	draft   infer.Options
	modules []string // folders of Go modules
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{View: view.New(a, view.Options{})}
	c := &cobra.Command{
		Use:   "infer [PATH ...] [TYPE[/NAME] ...]",
		Short: "Draft catalogs from documents, definitions, objects or code",
		Long: "Draft a catalog from what exists: with a PATH from Markdown (tables, examples and definitions), CustomResourceDefinitions, " +
			"saved objects and " +
			"constants in Go files, otherwise from the objects of a cluster. The draft is written to standard output. A comment marks each " +
			"thing that " +
			"had to be guessed; what was found and not used is listed at the head.",
		Example: "  tristate infer docs/conditions.md --kinds Widget,Gadget --group example.com > catalogs/example.yaml\n" +
			"  tristate infer config/crd/ dump.yaml\n  tristate infer api/v1/conditions.go --kinds Widget.example.com\n  tristate infer " +
			"config/crd --code ./internal\n  tristate infer clusters -A",
		RunE: func(c *cobra.Command, args []string) error {
			paths, _ := flags.SplitPaths(args)
			o.Files = append(o.Files, paths...)
			targets, err := flags.ParseTargets(args)
			if err != nil {
				return err
			}
			return o.run(c.Context(), targets)
		},
	}
	o.Catalogs.Add(c.Flags())
	o.Connection.Add(c.Flags())
	c.Flags().StringSliceVarP(&o.Files, "filename", "f", nil, "read files, directories or - instead of a cluster")
	c.Flags().StringSliceVar(&o.modules, "code", nil, "scan the Go code below a folder of a module for the places that write conditions: a "+
		"reason that one function writes to several types is a fact")
	c.Flags().StringSliceVar(&o.draft.Kinds, "kinds", nil, "names of kinds, as Kind or Kind.group, for what does not name its kind: the "+
		"first table is about the first")
	c.Flags().StringVar(&o.draft.Group, "group", "", "API group of kinds whose group is not found")
	c.Flags().StringVar(&o.draft.Version, "version", "", "API version of kinds")
	c.Flags().StringVar(&o.draft.Dialect, "dialect", "", "dialect of every kind (default: guessed)")
	return c
}

func (o *options) run(ctx context.Context, targets []cluster.Query) error {
	a, d := o.App, infer.New(o.draft)
	if len(o.Files)+len(o.modules) == 0 {
		if err := o.Open(ctx, targets); err != nil {
			return err
		}
		failed := o.Cluster.Named(ctx, targets, func(object *relation.Object) { d.Object(object.Content) })
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, err := range failed {
			return err
		}
	} else if err := readFiles(a, d, o.Files); err != nil {
		return err
	}
	for _, dir := range o.modules {
		if err := readModule(ctx, a, d, dir); err != nil {
			return err
		}
	}
	if d.Empty() {
		for _, one := range d.Unused() {
			a.Reportf("not used: %s", one)
		}
		return exit.With(exit.NotFound, errors.New("infer: no condition type found"))
	}
	data, err := d.YAML()
	if err != nil {
		return err
	}
	_, err = a.Out.Write(data)
	return err
}

// readModule scans the Go code below a folder of a module, and reports the places that need a person.
func readModule(ctx context.Context, a *app.App, d *infer.Draft, dir string) error {
	scans, err := a.Scan(ctx, dir)
	if err != nil {
		return err
	}
	if len(scans) == 0 {
		return fmt.Errorf("%s: there is no Go code", dir)
	}
	for _, scan := range scans {
		for _, fault := range scan.Faults {
			a.Reportf("not read completely: %s", fault)
		}
		left := d.Sites(scan)
		for _, one := range left {
			a.Reportf("%s", one)
		}
		a.Reportf("%s: %d of %d places that write a condition are in the draft, %d need a person", scan.Root, len(scan.Sites)-len(left),
			len(scan.Sites), len(left))
	}
	return nil
}

// readFiles reads files by their type: Markdown and Go by their ending, everything else as objects.
func readFiles(a *app.App, d *infer.Draft, paths []string) error {
	var objects []string
	for _, root := range paths {
		if root == "-" {
			objects = append(objects, root)
			continue
		}
		info, err := os.Stat(root)
		if err != nil {
			return exit.With(exit.NotFound, err)
		}
		rest := !info.IsDir()
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			var read func(string, []byte) error
			switch ext := filepath.Ext(path); {
			case ext == ".go" && !strings.HasSuffix(path, "_test.go"):
				read = d.Go
			case ext == ".md" || ext == ".markdown" || ext == ".txt":
				read = d.Markdown
			case ext == ".yaml" || ext == ".yml":
				if info, err := entry.Info(); err == nil && info.Size() > infer.MaxBytes {
					return fmt.Errorf("%s: %d bytes of YAML, more than %d: divide it, or write it as JSON", path, info.Size(), infer.MaxBytes)
				}
				return nil
			default:
				return nil
			}
			rest = false
			data, err := readAtMost(path, infer.MaxBytes)
			if err != nil {
				return err
			}
			return read(path, data)
		})
		if err != nil {
			return err
		}
		if rest || info.IsDir() {
			objects = append(objects, root)
		}
	}
	return readObjects(a, d, objects)
}

func readObjects(a *app.App, d *infer.Draft, paths []string) error {
	found, errs := input.Read(paths, io.LimitReader(a.In, infer.MaxBytes))
	for _, o := range found {
		if kind, _ := o.Content["kind"].(string); kind == crd.Kind.Kind {
			if err := d.Definition(o.File, o.Content); err != nil {
				return err
			}
			continue
		}
		d.Object(o.Content)
	}
	if len(errs) > 0 && len(found) == 0 && d.Empty() {
		return errs[0]
	}
	a.ReportUnread(errs)
	return nil
}

// readAtMost reads a file that is not too large.
func readAtMost(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if n, err := b.ReadFrom(io.LimitReader(f, int64(limit)+1)); err != nil {
		return nil, err
	} else if n > int64(limit) {
		return nil, fmt.Errorf("%s: more than %d bytes", path, limit)
	}
	return b.Bytes(), nil
}
