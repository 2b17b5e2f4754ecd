// SPDX-License-Identifier: Apache-2.0

package story

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/fleet/input"
	"golang.org/x/tools/txtar"
)

// Parse reads a story. It returns all errors joined by line, an [Error] each. file is its name in errors.
func Parse(file string, data []byte) (*Story, error) {
	s := &Story{File: file, archive: txtar.Parse(data), objects: map[string][]input.Object{}}
	p := &parser{story: s}
	p.script(string(s.archive.Comment))
	p.files()
	if len(s.Steps) == 0 && len(p.errors) == 0 {
		p.fail(1, "the story has no commands")
	}
	if len(p.errors) == 0 {
		return s, nil
	}
	slices.SortStableFunc(p.errors, func(a, b *Error) int { return a.Line - b.Line })
	var errs []error
	for _, err := range p.errors {
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// ReadFS parses every .txtar file below root, by name. It returns the valid stories also with an error.
func ReadFS(fsys fs.FS, root string) ([]*Story, error) {
	var stories []*Story
	var errs []error
	err := fs.WalkDir(fsys, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".txtar" {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		s, err := Parse(name, data)
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		stories = append(stories, s)
		return nil
	})
	if err != nil {
		return stories, fmt.Errorf("read stories: %w", err)
	}
	return stories, errors.Join(errs...)
}

type parser struct {
	story  *Story
	errors []*Error
}

func (p *parser) fail(line int, format string, args ...any) {
	p.errors = append(p.errors, &Error{File: p.story.File, Line: line, Message: fmt.Sprintf(format, args...)})
}

// script reads the commands.
func (p *parser) script(text string) {
	var head []string
	inHead := true
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(trimmed, "#"); ok {
			if inHead {
				head = append(head, strings.TrimSpace(comment))
			}
			continue
		}
		if trimmed == "" {
			inHead = inHead && len(head) == 0
			continue
		}
		inHead = false
		words, err := split(trimmed)
		if err != nil {
			p.fail(i+1, "%v", err)
			continue
		}
		command, err := parseCommand(words)
		if err != nil {
			p.fail(i+1, "%v", err)
			continue
		}
		p.story.Steps = append(p.story.Steps, Step{Line: i + 1, Text: trimmed, Command: command})
	}
	p.story.Description = strings.Join(head, "\n")
}

// files reads the objects of the files that are applied, and checks that the named files exist.
func (p *parser) files() {
	seen := map[string]bool{}
	lines := p.lines()
	for i, f := range p.story.archive.Files {
		if seen[f.Name] {
			p.fail(lines[i], "file %s occurs twice in the archive", f.Name)
		}
		seen[f.Name] = true
	}
	exists := func(line int, name string) bool {
		if !seen[name] {
			p.fail(line, "no file %s in the archive", name)
		}
		return seen[name]
	}
	for _, step := range p.story.Steps {
		switch c := step.Command.(type) {
		case Tree:
			exists(step.Line, c.File)
		case Apply:
			for _, name := range c.Files {
				if _, done := p.story.objects[name]; done || !exists(step.Line, name) {
					continue
				}
				at := p.story.file(name)
				objects, errs := readObjects(p.story.File, p.story.archive.Files[at].Data, lines[at])
				p.errors = append(p.errors, errs...)
				if len(objects) == 0 && len(errs) == 0 {
					p.fail(step.Line, "file %s has no objects", name)
				}
				p.story.objects[name] = objects
			}
		}
	}
}

// lines returns for each file of the archive the line of its marker.
func (p *parser) lines() []int {
	count := func(data []byte) int { return bytes.Count(data, []byte("\n")) }
	line := count(p.story.archive.Comment) + 1
	out := make([]int, len(p.story.archive.Files))
	for i, f := range p.story.archive.Files {
		out[i] = line
		line += 1 + count(f.Data)
	}
	return out
}
