// SPDX-License-Identifier: Apache-2.0

package systems_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/statement"
)

// The documents are read here by hand, without package infer, so that both can be wrong only apart.

// document reads one of the five documents; the test is skipped where they are absent.
func document(t *testing.T, prefix string) []string {
	t.Helper()
	names, _ := filepath.Glob("../../shared/seeds/" + prefix + "_*.txt")
	if len(names) != 1 {
		t.Skip("../shared/seeds is absent: the record is not compared with the document")
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), "\n")
}

// tables cuts the tables out of a document whose rows were broken into one line a cell: a table follows a line of dashes and ends at the
// first line without a bar at its end. Each has the number of the line of dashes.
func tables(lines []string) (at []int, rows [][][]string) {
	for i, line := range lines {
		if !strings.HasPrefix(line, "|---") {
			continue
		}
		width := strings.Count(line, "|") - 1
		var cells []string
		for j, body := range lines[i+1:] {
			if next := i + j + 2; next < len(lines) && strings.HasPrefix(lines[next], "|---") {
				break // the header of another table
			}
			body, whole := strings.CutSuffix(strings.TrimSpace(body), "|")
			if !whole {
				break
			}
			for _, cell := range strings.Split(strings.TrimPrefix(body, "|"), "|") {
				cells = append(cells, strings.TrimSpace(cell))
			}
		}
		at = append(at, i)
		rows = append(rows, slices.Collect(slices.Chunk(cells, width)))
	}
	return at, rows
}

var pascal = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)

// reasonsOf returns the reasons of a cell of the kars document: names separated by commas, or each followed by a dash and prose.
func reasonsOf(cell string) []string {
	for {
		open := strings.IndexByte(cell, '(')
		if open < 0 {
			break
		}
		end := strings.IndexByte(cell[open:], ')')
		cell = cell[:open] + cell[open+end+1:]
	}
	var out []string
	for _, sentence := range strings.Split(cell, ". ") {
		sentence = strings.TrimSuffix(sentence, ".")
		for _, part := range strings.FieldsFunc(sentence, func(r rune) bool { return r == ',' || r == ';' }) {
			if name, _, _ := strings.Cut(strings.TrimSpace(part), " "); pascal.MatchString(name) &&
				!strings.HasPrefix(strings.TrimSpace(part), "Memory ") {
				if rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), name)); rest == "" || strings.HasPrefix(rest, "—") {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// kars returns the rows of document 000. It does not head its tables: they come in the order of the kinds.
func kars(t *testing.T) []statement.Cell {
	kinds := []string{"KarsSandbox", "A2AAgent", "McpServer", "ToolPolicy", "InferencePolicy", "KarsMemory", "KarsEval", "TrustGraph",
		"EgressApproval"}
	_, found := tables(document(t, "000"))
	if len(found) != len(kinds)+2 { // types and reasons that kinds share come first
		t.Fatalf("%d tables, want %d", len(found), len(kinds)+2)
	}
	var out []statement.Cell
	for i, table := range found[2:] {
		for _, cells := range table {
			for _, reason := range reasonsOf(cells[len(cells)-1]) {
				out = append(out, statement.Cell{Kind: kinds[i], Type: cells[0], Reason: reason})
			}
		}
	}
	return out
}

// vworkspace returns the rows of document 001. Sections are headed by the kind and by the type, which their first sentence repeats.
func vworkspace(t *testing.T) []statement.Cell {
	lines := document(t, "001")
	at, found := tables(lines)
	var out []statement.Cell
	for i, table := range found {
		kind, conditionType := "", ""
		for _, line := range lines[:at[i]] {
			heading, is := strings.CutSuffix(line, "¶")
			if !is {
				continue
			}
			if heading, _, _ = strings.Cut(heading, " "); slices.Contains([]string{"ApplicationInstance", "Operation", "Cluster"}, heading) {
				kind = heading
			} else {
				conditionType = heading
			}
		}
		for _, cells := range table {
			out = append(out, statement.Cell{Kind: kind, Type: conditionType, Status: cells[0], Reason: strings.Trim(cells[1], "`")})
		}
	}
	return out
}

// TestRecord_tables: the facts that are recorded of documents 000 and 001 are those of their tables.
func TestRecord_tables(t *testing.T) {
	for system, read := range map[string]func(*testing.T) []statement.Cell{"kars": kars, "vworkspace": vworkspace} {
		t.Run(system, func(t *testing.T) {
			rows := read(t)
			slices.SortFunc(rows, compareCells)
			if diff := gocmp.Diff(rows, slices.SortedFunc(slices.Values(facts(t, system)), compareCells)); diff != "" {
				t.Errorf("record differs from the document (-document +record):\n%s", diff)
			}
		})
	}
}

// TestRecord_examples: the facts that are recorded of the other documents are in their examples and sentences, word by word.
func TestRecord_examples(t *testing.T) {
	for system, prefix := range map[string]string{"kro": "002", "kpt": "003", "cluster-api": "004"} {
		t.Run(system, func(t *testing.T) {
			text := strings.Join(document(t, prefix), "\n")
			words := map[string]bool{}
			for _, w := range regexp.MustCompile(`\w+`).FindAllString(text, -1) {
				words[strings.ToLower(w)] = true // AwsCluster is AWSCluster as well
			}
			for _, c := range facts(t, system) {
				for _, w := range []string{c.Kind, c.Type, c.Status, c.Reason, c.Severity} {
					if w != "" && !words[strings.ToLower(w)] && w != "ResourceGraphDefinition" { // "Resource Graph Definition"
						t.Errorf("%s: the document has no %s", c, w)
					}
				}
			}
		})
	}
	t.Run("kro, proposed", func(t *testing.T) {
		_, proposed, _ := strings.Cut(strings.Join(document(t, "002"), "\n"), "`Proposed Update`")
		for _, c := range facts(t, "kro") {
			if example := "reason: \"" + c.Reason + "\"\n    status: \"" + c.Status + "\"\n    type: " + c.Type +
				"\n"; !strings.Contains(proposed, example) {
				t.Errorf("the document does not propose %s", c)
			}
		}
	})
	t.Run("cluster-api, severities", func(t *testing.T) {
		text := strings.Join(document(t, "004"), "\n")
		for _, c := range facts(t, "cluster-api") {
			if example := c.Type + "=" + c.Status + ", Reason=" + c.Reason + ", Severity=" + c.Severity; c.Severity != "" &&
				!strings.Contains(text, example) {
				t.Errorf("the document has no %s", example)
			}
		}
	})
}
