// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/fleet/input"
	"golang.org/x/tools/txtar"
)

// Story is a parsed archive.
type Story struct {
	File        string // as given to Parse
	Description string // the comment at the head of the script, without #
	Steps       []Step
	archive     *txtar.Archive
	objects     map[string][]input.Object // by file, filled by Parse for the files that are applied
}

// Name returns the name of the file without folders and extension.
func (s *Story) Name() string {
	name := s.File[strings.LastIndex(s.File, "/")+1:]
	return strings.TrimSuffix(name, ".txtar")
}

// VirtualTime reports whether the story can only run where the clock can be moved.
func (s *Story) VirtualTime() bool {
	return slices.ContainsFunc(s.Steps, func(step Step) bool {
		n, ok := step.Command.(Needs)
		return ok && n.What == VirtualTime
	})
}

// Format returns the archive as text, with the trees that a runner with Update wrote.
func (s *Story) Format() []byte { return txtar.Format(s.archive) }

// file returns the index of a file in the archive, or -1.
func (s *Story) file(name string) int {
	return slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// Step is one line of the script.
type Step struct {
	Line    int
	Text    string // as written, without indentation
	Command Command
}

// Error is an error in a story, or of a step that was run.
type Error struct {
	File    string
	Line    int
	Message string
	Err     error // what Message wraps; may be nil
}

// Error returns "file:line: message".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }
