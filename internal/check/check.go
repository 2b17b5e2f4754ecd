// SPDX-License-Identifier: Apache-2.0

package check

import (
	"io/fs"
	"strings"

	"github.com/tristate/tristate/internal/check/evidence"
	"golang.org/x/tools/txtar"
)

// Level is the severity of a finding.
type Level string

// The levels, worst first.
const (
	Error   Level = "error"   // the contract is violated
	Warning Level = "warning" // a convention, or undecidable from the evidence
	Info    Level = "info"    // an improvement
)

// Rank orders levels: 0 is the worst.
func (l Level) Rank() int {
	switch l {
	case Error:
		return 0
	case Warning:
		return 1
	}
	return 2
}

// Check is one rule.
type Check struct {
	// ID is family/slug in lower case, never reused.
	ID string
	// Title is one sentence that holds where the check passes.
	Title string
	// Why is the harm that a violation does.
	Why string
	// Fix is the remedy for findings without a suggestion of their own.
	Fix string
	// Level is the level of findings without one of their own.
	Level Level
	// Needs is the evidence without which the check is skipped.
	Needs evidence.Need
	// Run reports the findings of a pass.
	Run func(*Pass)
	// Doc is the exact rule in Markdown, from the archive of the check. Bad and Good are the files of its failing and its passing example,
	// Want are the findings of a run over Bad.
	Doc       string
	Bad, Good []File
	Want      string
}

// File is a file of an example.
type File struct {
	Name string
	Data []byte
}

// Family returns the part of the id before the slash.
func (c *Check) Family() string {
	family, _, _ := strings.Cut(c.ID, "/")
	return family
}

// Document fills in the documentation and the examples of checks from their archives, doc/SLUG.txtar. The comment is
// the exact rule, and want has the findings of a run over the failing example. Files below bad/ and good/ are the
// examples, files below both/ belong to either. A check without an archive stays without documentation, which is an
// error for [Validate].
func Document(fsys fs.FS, checks []*Check) []*Check {
	for _, c := range checks {
		_, slug, _ := strings.Cut(c.ID, "/")
		data, err := fs.ReadFile(fsys, "doc/"+slug+".txtar")
		if err != nil {
			continue
		}
		archive := txtar.Parse(data)
		c.Doc = strings.TrimSpace(string(archive.Comment))
		for _, f := range archive.Files {
			folder, name, _ := strings.Cut(f.Name, "/")
			file := File{Name: name, Data: f.Data}
			switch folder {
			case "want":
				c.Want = string(f.Data)
			case "bad":
				c.Bad = append(c.Bad, file)
			case "good":
				c.Good = append(c.Good, file)
			case "both":
				c.Bad = append(c.Bad, file)
				c.Good = append(c.Good, file)
			}
		}
	}
	return checks
}
