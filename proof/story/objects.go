// SPDX-License-Identifier: Apache-2.0

package story

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// readObjects reads the objects of a file of the archive, whose marker is in line marker. Each has a name, which package input makes up
// where it is missing, and none has a status.
func readObjects(file string, data []byte, marker int) (out []input.Object, errs []*Error) {
	fail := func(line int, format string, args ...any) {
		errs = append(errs, &Error{File: file, Line: marker + line, Message: fmt.Sprintf(format, args...)})
	}
	if !bytes.HasSuffix(data, []byte("\n")) { // the last file of an archive
		data = append(bytes.Clone(data), '\n')
	}
	objects, faults := input.Parse(file, data)
	for _, fault := range faults {
		fail(fault.Line, "%v", fault.Err)
	}
	for _, object := range objects {
		o := relation.FromContent(object.Content)
		switch {
		case strings.Contains(o.Name, "("):
			fail(object.Line, "%s has no metadata.name", o.Kind)
		case object.Content["status"] != nil:
			fail(object.Line, "%s/%s brings a status: leaf conditions are written with report, other fields with status", o.Kind, o.Name)
		default:
			out = append(out, input.Object{Content: object.Content, File: file, Line: marker + object.Line})
		}
	}
	return out, errs
}
