// SPDX-License-Identifier: Apache-2.0

package check

import (
	"strings"

	"github.com/tristate/tristate/internal/check/evidence"
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
