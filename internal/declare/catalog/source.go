// SPDX-License-Identifier: Apache-2.0

package catalog

import "strconv"

// Source is one decoded document together with the places of its nodes.
type Source struct {
	Document
	listed    []Condition         // the conditions as they are written, without the cells of facts
	origins   map[string]string   // by path of a reason: its path as it is written
	positions map[string]Position // by path; keys and values of mappings, items of sequences
	file      string
}

// YAML is that of the document as it is written, without the cells that facts add.
func (s *Source) YAML() ([]byte, error) {
	d := s.Document
	d.Spec.Conditions = s.listed
	return d.YAML()
}

// At returns the position of the node at path, or of its nearest ancestor that has one.
func (s *Source) At(path string) Position {
	for p := s.origin(path); ; p = parent(p) {
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
	return &Error{Position: s.At(path), Path: s.origin(path), Message: message, Suggestion: suggestion}
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
