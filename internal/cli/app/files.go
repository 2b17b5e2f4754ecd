// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// EachObject reads the objects of files, directories and, as "-", standard input, by the rules of package input, and calls found for one
// after the other. Fields to skip are left out, see [input.Reader]. Documents that cannot be read are reported with their file and line and
// added to Unread; it is an error if nothing can be read at all, a file does not exist, or ctx has ended.
func (a *App) EachObject(ctx context.Context, paths []string, found func(*relation.Object), skip ...[]string) error {
	none := true
	errs := input.Reader{Stdin: a.In, Skip: skip, Stop: func() bool { return ctx.Err() != nil }}.Each(paths, func(o input.Object) {
		none = false
		found(relation.FromContent(o.Content))
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	var all []error
	for _, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			return exit.With(exit.NotFound, err)
		}
		all = append(all, err)
	}
	if none && len(all) > 0 {
		return errors.Join(all...)
	}
	a.ReportUnread(errs)
	return nil
}

// ReadObjects returns the objects of [App.EachObject].
func (a *App) ReadObjects(ctx context.Context, paths []string) (objects []*relation.Object, err error) {
	err = a.EachObject(ctx, paths, func(o *relation.Object) { objects = append(objects, o) })
	return objects, err
}

// ReportUnread reports documents that could not be read, and adds them to Unread.
func (a *App) ReportUnread(errs []*input.Error) {
	for _, err := range errs {
		a.Reportf("%v", err)
	}
	a.Unread = append(a.Unread, errs...)
}

// Unreadable returns the error of the documents in Unread, each of which has been reported; nil if there are none.
func (a *App) Unreadable() error {
	if len(a.Unread) == 0 {
		return nil
	}
	return exit.With(exit.Unknown, fmt.Errorf("%s could not be read", english.Count(len(a.Unread), "document")))
}

// SourceOf returns the names of the files that objects were read from.
func SourceOf(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		if names[i] = path; path == "-" {
			names[i] = "standard input"
		}
	}
	return strings.Join(names, ", ")
}
