// SPDX-License-Identifier: Apache-2.0

package statement

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Folder holds the systems, below the root of the repository. Each has its record in its folder, as statements.tsv, and the page of it;
// statements.md has the sums.
const Folder = "systems"

// Systems are the names of the records, in the order of the documents.
var Systems = []string{"kars", "vworkspace", "kro", "kpt", "cluster-api"}

// State is how far a statement holds.
type State string

// The states of a statement. Declared is a statement that is followed in another way, or by a setting, for a reason that is on the page of
// the system.
const (
	Done         State = "done"
	Declared     State = "declared"
	Partly       State = "partly"
	Not          State = "not"
	Contradicted State = "contradicted"
)

// States are all states, the best first.
var States = []State{Done, Declared, Partly, Not, Contradicted}

// Cell is a fact of a document. A field that the document leaves open is empty.
type Cell struct{ Kind, Type, Status, Reason, Severity string }

// Statement is one line of a record.
type Statement struct {
	Number int
	State  State
	Text   string
	Cells  []Cell
	Tests  []string
	Open   string
}

const columns = "number\tstate\tstatement\tcells\ttests\topen"

// Read returns the record of a system. An error has the file and the line.
func Read(root fs.FS, system string) ([]Statement, error) {
	name := path.Join(Folder, system, "statements.tsv")
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if lines[0] != columns {
		return nil, fmt.Errorf("%s:1: the columns are not %q", name, columns)
	}
	var out []Statement
	for i, line := range lines[1:] {
		s, err := parse(line)
		if err == nil && s.Number != i+1 {
			err = fmt.Errorf("statement %d follows statement %d", s.Number, i)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// parse reads one line and holds it to the rules of the package comment.
func parse(line string) (Statement, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 6 {
		return Statement{}, fmt.Errorf("%d columns, want 6", len(fields))
	}
	for i, f := range fields {
		switch strings.TrimSpace(f) {
		case "":
			return Statement{}, fmt.Errorf("column %d is empty, want - for nothing", i+1)
		case "-":
			fields[i] = ""
		}
	}
	s := Statement{State: State(fields[1]), Text: fields[2], Open: fields[5]}
	var err error
	if s.Number, err = strconv.Atoi(fields[0]); err != nil {
		return s, fmt.Errorf("number %q is not a number", fields[0])
	}
	if !slices.Contains(States, s.State) {
		return s, fmt.Errorf("state %q is none of %v", s.State, States)
	}
	for _, text := range list(fields[3]) {
		parts := strings.Fields(text)
		if len(parts) < 4 || len(parts) > 5 {
			return s, fmt.Errorf("cell %q has %d fields, want kind, type, status, reason and perhaps a severity", text, len(parts))
		}
		for i, p := range parts {
			if p == "-" {
				parts[i] = ""
			}
		}
		parts = append(parts, "")
		s.Cells = append(s.Cells, Cell{parts[0], parts[1], parts[2], parts[3], parts[4]})
	}
	s.Tests = list(fields[4])
	switch held := s.State == Done || s.State == Declared; {
	case s.Text == "":
		return s, fmt.Errorf("statement %d has no text", s.Number)
	case held && len(s.Tests) == 0:
		return s, fmt.Errorf("statement %d is %s and no test shows it", s.Number, s.State)
	case s.State == Done && s.Open != "":
		return s, fmt.Errorf("statement %d is done and has something open: %s", s.Number, s.Open)
	case s.State != Done && s.Open == "":
		return s, fmt.Errorf("statement %d is %s and does not say what is open", s.Number, s.State)
	}
	return s, nil
}

func list(field string) []string {
	if field == "" {
		return nil
	}
	return strings.Split(field, "; ")
}

// Cells returns the facts of a record, in its order.
func Cells(record []Statement) []Cell {
	var out []Cell
	for _, s := range record {
		out = append(out, s.Cells...)
	}
	return out
}
