// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// A row is one bug from an examination, and the patch that brings it back.
type row struct {
	Name   string // The file below rows without .patch: operators-2-A1.
	Saw    string // The effect that a user saw, in one sentence.
	Class  string // The class of the fault, in a few words.
	Source string // The examination and its row: operators-2 A1.
	Test   test
	Plane  bool // The test needs a real API server.
	Patch  string
}

// A test is one test function or subtest of one package of one module.
type test struct {
	Module  string // The folder of the module, "." for the root.
	Package string // The package within the module: ./child.
	Name    string // TestWriter or TestWriter/own_name.
}

const header = "a row begins with the lines Saw, Class, Source, Test (module, package, name) and Plane (yes or no), and an empty line"

// parse reads a file of rows. An error names what is missing.
func parse(name, text string) (row, error) {
	head, patch, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.Contains(patch, "\n+++ b/") {
		return row{}, fmt.Errorf("%s: there is no patch after an empty line; %s", name, header)
	}
	fields := map[string]string{}
	for _, line := range strings.Split(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			return row{}, fmt.Errorf("%s: %q has no value; %s", name, line, header)
		}
		if _, twice := fields[key]; twice {
			return row{}, fmt.Errorf("%s: %s is given twice", name, key)
		}
		fields[key] = value
	}
	for _, key := range []string{"Saw", "Class", "Source", "Test", "Plane"} {
		if fields[key] == "" {
			return row{}, fmt.Errorf("%s: there is no line %s; %s", name, key, header)
		}
	}
	if len(fields) != 5 {
		return row{}, fmt.Errorf("%s: %s", name, header)
	}
	words := strings.Fields(fields["Test"])
	if len(words) != 3 || !strings.HasPrefix(words[2], "Test") {
		return row{}, fmt.Errorf("%s: Test is %q, not a module, a package and a test", name, fields["Test"])
	}
	if plane := fields["Plane"]; plane != "yes" && plane != "no" {
		return row{}, fmt.Errorf("%s: Plane is %q, neither yes nor no", name, plane)
	}
	return row{
		Name: name, Saw: fields["Saw"], Class: fields["Class"], Source: fields["Source"],
		Test: test{Module: words[0], Package: words[1], Name: words[2]}, Plane: fields["Plane"] == "yes", Patch: patch,
	}, nil
}

// load reads all rows of a folder, in the order of their names.
func load(folder fs.FS) ([]row, error) {
	names, err := fs.Glob(folder, "*.patch")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var rows []row
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		r, err := parse(strings.TrimSuffix(path.Base(name), ".patch"), string(text))
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// files are the paths that the patch changes, relative to the root.
func (r row) files() []string {
	var files []string
	for _, line := range strings.Split(r.Patch, "\n") {
		for _, side := range []string{"--- a/", "+++ b/"} {
			if name, ok := strings.CutPrefix(line, side); ok {
				files = append(files, strings.TrimSpace(name))
			}
		}
	}
	return files
}

// table is docs/track-record.md: one line a row.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString(intro)
	b.WriteString("\n| bug | what a user saw | class | the test that holds it |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| [%s](../proof/record/rows/%s.patch) | %s | %s | `%s` in `%s` |\n",
			r.Source, r.Name, cell(r.Saw), cell(r.Class), r.Test.Name, path.Join(r.Test.Module, r.Test.Package))
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

const intro = `# Track record

Each row is a bug that was found, with the test that holds it and a small patch that brings it back. ` + "`make record`" + ` applies a
patch to a copy of the tree, runs that one test and expects it to fail. A row whose test stays green, or whose patch does not apply,
fails. Rows are chosen at random within five minutes; ` + "`make record ALL=1`" + ` runs all. This page is written by
` + "`go test ./proof/record -update`" + `.
`
