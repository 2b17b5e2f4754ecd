// SPDX-License-Identifier: Apache-2.0

package infer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/cluster"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/infer"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
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
		Short: "Draft catalogs from definitions, objects or code",
		Long: "Draft a catalog from CustomResourceDefinitions and saved objects with a PATH, from Go code with --code, " +
			"and otherwise from the objects of a cluster. The draft is written to standard output. A comment marks each " +
			"guess; input that was not used is listed at the head.",
		Example: "  tristate infer config/crd/ dump.yaml > catalogs/example.yaml\n" +
			"  tristate infer config/crd --code ./internal\n" +
			"  tristate infer --code ./api --kinds Widget.example.com\n" +
			"  tristate infer clusters -A",
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
	c.Flags().StringSliceVar(&o.modules, "code", nil, "scan the Go code below a folder of a module for the places that "+
		"write conditions, or for constants if it has none; a reason that one function writes to several types is a fact")
	c.Flags().StringSliceVar(&o.draft.Kinds, "kinds", nil, "names of kinds, as Kind or Kind.group; code that names no "+
		"kind belongs to the first")
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
	} else if err := readFiles(ctx, a, d, o.Files); err != nil {
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
		left := d.Code(scan)
		for _, one := range left {
			a.Reportf("%s", one)
		}
		a.Reportf("%s: %d of %d places that write a condition are in the draft, %d need a person", scan.Root, len(scan.Sites)-len(left),
			len(scan.Sites), len(left))
	}
	return nil
}

// readFiles reads the objects of files and folders.
func readFiles(ctx context.Context, a *app.App, d *infer.Draft, paths []string) error {
	if i := slices.IndexFunc(paths, func(path string) bool { return filepath.Ext(path) == ".go" }); i >= 0 {
		return exit.Usagef("%s: Go code is read with --code FOLDER", paths[i])
	}
	var found []input.Object
	errs := input.Reader{Stdin: a.In, Stop: func() bool { return ctx.Err() != nil }}.Each(paths, func(o input.Object) {
		found = append(found, o)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			return exit.With(exit.NotFound, err)
		}
	}
	for _, o := range found {
		if kind, _ := o.Content["kind"].(string); kind != crd.Kind.Kind {
			d.Object(o.Content)
		} else if err := d.Definition(o.File, o.Content); err != nil {
			return err
		}
	}
	if len(errs) > 0 && len(found) == 0 {
		return errs[0]
	}
	a.ReportUnread(errs)
	return nil
}
