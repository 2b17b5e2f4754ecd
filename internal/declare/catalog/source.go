// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Source is one decoded document together with the places of its nodes.
type Source struct {
	Document
	listed    []Condition         // the conditions as they are written, without the cells of facts
	origins   map[string]string   // by path of a reason: its path as it is written
	positions map[string]Position // by path; keys and values of mappings, items of sequences
	file      string
}

// YAML returns the document as it is written, without the cells that facts add.
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

// Origin is the source of a catalog: files of a repository at a commit, or the reason for having no source.
type Origin struct {
	None       string // the reason; then nothing else is set
	Repository string // owner/name, or of GitLab with subgroups: group/subgroup/name
	Commit     string
	Path       string
	Date       time.Time // of the commit; zero if it is not written
}

var origin = regexp.MustCompile(`^([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)@([0-9a-f]{7,40}), (.+?)(?: of (\d{4}-\d{2}-\d{2}))?$`)

// ParseOrigin parses owner/repository@commit, path, which a date may follow: "of 2026-08-20". Without a repository it is "none, " and the
// reason.
func ParseOrigin(text string) (Origin, error) {
	if reason, ok := strings.CutPrefix(text, "none, "); ok && strings.TrimSpace(reason) != "" {
		return Origin{None: reason}, nil
	}
	m := origin.FindStringSubmatch(text)
	if m == nil {
		return Origin{}, errors.New("must be owner/repository@commit, path, or none, and the reason")
	}
	o := Origin{Repository: m[1], Commit: m[2], Path: m[3]}
	if m[4] != "" {
		date, err := time.Parse(time.DateOnly, m[4])
		if err != nil {
			return Origin{}, errors.New("must end with a date, as 2026-08-20")
		}
		o.Date = date
	}
	return o, nil
}
