// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tristate/tristate/internal/count"
	"github.com/tristate/tristate/internal/input"
	"github.com/tristate/tristate/internal/relation"
)

// readObjects reads the objects of files, directories and, as "-", standard input, by the rules of package input. What cannot be read is
// said with its place, and the exit code will say so too; it is an error where nothing can be read at all.
func (a *App) readObjects(paths []string) ([]*relation.Object, error) {
	objects, errs := input.Read(paths, a.In)
	var all []error
	for _, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &exit{ExitNotFound, err}
		}
		all = append(all, err)
	}
	if len(objects) == 0 && len(all) > 0 {
		return nil, errors.Join(all...)
	}
	for _, err := range all {
		fmt.Fprintf(a.Err, "%s: %v\n", a.Name, err)
	}
	a.unread = append(a.unread, errs...)
	out := make([]*relation.Object, len(objects))
	for i, o := range objects {
		out[i] = relation.FromContent(o.Content)
	}
	return out, nil
}

// unreadable is the error of documents that could not be read, each of which has been reported.
func (a *App) unreadable() error {
	return fmt.Errorf("%s could not be read", count.Of(len(a.unread), "document"))
}

// sourceOf names the files that objects were read from.
func sourceOf(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		if names[i] = path; path == "-" {
			names[i] = "standard input"
		}
	}
	return strings.Join(names, ", ")
}
