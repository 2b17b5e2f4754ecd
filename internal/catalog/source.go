// SPDX-License-Identifier: Apache-2.0

package catalog

import "strconv"

// Source is one decoded document together with where each of its nodes stands.
type Source struct {
	Document
	positions map[string]Position // by path; keys and values of mappings, items of sequences
	file      string
}

// At returns the position of the node at path, or of its nearest ancestor that has one.
func (s *Source) At(path string) Position {
	for p := path; ; p = parent(p) {
		if pos, ok := s.positions[p]; ok {
			return pos
		}
		if p == "" {
			return Position{File: s.file}
		}
	}
}

// Err is an error at path.
func (s *Source) err(path, message, suggestion string) *Error {
	return &Error{Position: s.At(path), Path: path, Message: message, Suggestion: suggestion}
}

// parent cuts the last element of a path such as spec.conditions[2].type.
func parent(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return ""
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
