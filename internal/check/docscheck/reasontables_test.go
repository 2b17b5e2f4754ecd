// SPDX-License-Identifier: Apache-2.0

package docscheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReasonTables: rows in one line or in a line for each cell are read; other tables and hostile text are not.
func TestReasonTables(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"by type": {"| Type | Reasons |\n|---|---|\n| `Ready` | Fine, Bad (because, of it), Worse — why. A sentence. |\n",
			"2: 3 Ready [Fine Bad Worse]"},
		"by status": {"# Robot\n## `Charged`\n| status | Reason |\n|---|---|\n| True | Full |\n| False | Empty |\n",
			"4: 5 Charged [Full] 6 Charged [Empty]"},
		"a line for each cell": {"Charged¶\nstatus |\nReasons | Meaning |\n|---|---|---|\n" +
			"| True | Full |\nIt is full. |\n| False | Empty |\nIt is empty. |\n",
			"4: 5 Charged [Full] 7 Charged [Empty]"},
		"another table": {"| Left | Right |\n|---|---|\n| 1 | 2 |\n", ""},
		"below no name": {"# what happens\n| status | reason |\n|---|---|\n| True | Fine |\n", ""},
		"rulers":        {strings.Repeat("|---|\n", 200_000), ""},
		"one long line": {"| type | reasons |\n|---|---|\n| Ready | " + strings.Repeat("Fine, ", 1<<20) + " |\n", ""},
		"brackets":      {"| type | reasons |\n|---|---|\n| Ready | Fine " + strings.Repeat("(", 1<<20) + " |\n", ""},
		"tables without end": {strings.Repeat("| type | other |\n|---|---|\n| Ready | Fine |\n\n", maxTables) +
			"| type | reasons |\n|---|---|\n| Ready | Fine |\n", ""},
	} {
		var got []string
		for _, table := range reasonTables(test.text) {
			one := fmt.Sprintf("%d:", table.line)
			for _, row := range table.rows {
				one += fmt.Sprintf(" %d %s %v", row.line, row.conditionType, row.reasons)
			}
			got = append(got, one)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
