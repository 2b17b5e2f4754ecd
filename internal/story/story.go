// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/input"
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

// Name is the file without folders and extension.
func (s *Story) Name() string {
	name := s.File[strings.LastIndex(s.File, "/")+1:]
	return strings.TrimSuffix(name, ".txtar")
}

// VirtualTime reports whether the story can only run where the clock can be moved.
func (s *Story) VirtualTime() bool {
	for _, step := range s.Steps {
		if n, ok := step.Command.(Needs); ok && n.What == VirtualTime {
			return true
		}
	}
	return false
}

// Format returns the archive as text, with the trees that an updating runner put in.
func (s *Story) Format() []byte { return txtar.Format(s.archive) }

// file returns the position of a file in the archive, or -1.
func (s *Story) file(name string) int {
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			return i
		}
	}
	return -1
}

// Step is one line of the script.
type Step struct {
	Line    int
	Text    string // as written, without indentation
	Command Command
}

// Error is one thing wrong in or with a story.
type Error struct {
	File    string
	Line    int
	Message string
	Err     error // what Message wraps; may be nil
}

// Error is "file:line: message".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// Errors are all errors of a story, by line.
type Errors []*Error

// Error is one line an error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes the single errors reachable for errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}
	return out
}

func (e Errors) err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}
