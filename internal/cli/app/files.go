// SPDX-License-Identifier: Apache-2.0

package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/count"
	"github.com/tristate/tristate/internal/input"
	"github.com/tristate/tristate/internal/relation"
)

// ReadObjects reads the objects of files, directories and, as "-", standard input, by the rules of package input. Documents that cannot be
// read are reported with their file and line and added to Unread; it is an error if nothing can be read at all, or a file does not exist.
func (a *App) ReadObjects(paths []string) ([]*relation.Object, error) {
	objects, errs := input.Read(paths, a.In)
	var all []error
	for _, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, exit.With(exit.NotFound, err)
		}
		all = append(all, err)
	}
	if len(objects) == 0 && len(all) > 0 {
		return nil, errors.Join(all...)
	}
	a.ReportUnread(errs)
	out := make([]*relation.Object, len(objects))
	for i, o := range objects {
		out[i] = relation.FromContent(o.Content)
	}
	return out, nil
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
	return exit.With(exit.Unknown, fmt.Errorf("%s could not be read", count.Of(len(a.Unread), "document")))
}

// ReadFile returns the content of a file, or of standard input for "-".
func (a *App) ReadFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.In)
	}
	return os.ReadFile(name)
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
