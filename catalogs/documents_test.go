// SPDX-License-Identifier: Apache-2.0

package catalogs_test

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/catalog"
)

// The documents that the catalogs follow are read here by hand, without package infer, so that both can be wrong only apart.

// row is one entry of a document's tables. Status is empty where the document does not say.
type row struct{ Kind, Type, Status, Reason string }

func compareRows(a, b row) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Type, b.Type), strings.Compare(a.Status, b.Status), strings.Compare(a.Reason, b.Reason))
}

// document reads one of the five documents; the test is skipped where they are not at hand.
func document(t *testing.T, prefix string) []string {
	t.Helper()
	names, _ := filepath.Glob("../../shared/seeds/" + prefix + "_*.txt")
	if len(names) != 1 {
		t.Skip("the documents are not at hand: ../shared/seeds is absent")
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
			if name, _, _ := strings.Cut(strings.TrimSpace(part), " "); pascal.MatchString(name) && !strings.HasPrefix(strings.TrimSpace(part), "Memory ") {
				if rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), name)); rest == "" || strings.HasPrefix(rest, "—") {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// kars returns the rows of document 000. It does not head its tables: they come in the order of the kinds.
func kars(t *testing.T) []row {
	kinds := []string{"KarsSandbox", "A2AAgent", "McpServer", "ToolPolicy", "InferencePolicy", "KarsMemory", "KarsEval", "TrustGraph", "EgressApproval"}
	_, found := tables(document(t, "000"))
	if len(found) != len(kinds)+2 { // types and reasons that kinds share come first
		t.Fatalf("%d tables, want %d", len(found), len(kinds)+2)
	}
	var out []row
	for i, table := range found[2:] {
		for _, cells := range table {
			for _, reason := range reasonsOf(cells[len(cells)-1]) {
				out = append(out, row{kinds[i], cells[0], "", reason})
			}
		}
	}
	return out
}

// declared returns the cells of a catalog that have a row in its document.
func declared(t *testing.T, file string, withStatus bool) []row {
	t.Helper()
	set, err := catalog.LoadFS(catalogs.FS, file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[row]bool{}
	for _, k := range set.Kinds() {
		for _, c := range k.Source.Spec.Conditions {
			for _, r := range c.Reasons {
				if r.Addition != "" {
					continue
				}
				entry := row{k.For.Kind, c.Type, "", r.Reason}
				if withStatus {
					entry.Status = r.Status
				}
				out[entry] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(out), compareRows)
}

// numbers counts the distinct values of a column.
func numbers(rows []row, of func(row) string) int {
	seen := map[string]bool{}
	for _, r := range rows {
		seen[of(r)] = true
	}
	return len(seen)
}

// severalTypes returns the reasons that stand on more than one type.
func severalTypes(rows []row) []string {
	types := map[string]map[string]bool{}
	for _, r := range rows {
		if types[r.Reason] == nil {
			types[r.Reason] = map[string]bool{}
		}
		types[r.Reason][r.Type] = true
	}
	var out []string
	for reason, on := range types {
		if len(on) > 1 {
			out = append(out, reason)
		}
	}
	slices.Sort(out)
	return out
}

// TestKars: the catalog has exactly the rows of document 000, and every status a reason.
func TestKars(t *testing.T) {
	rows := kars(t)
	slices.SortFunc(rows, compareRows)
	if diff := gocmp.Diff(rows, declared(t, "kars.yaml", false)); diff != "" {
		t.Errorf("catalog differs from the document (-document +catalog):\n%s", diff)
	}
	got := []int{numbers(rows, func(r row) string { return r.Kind }), numbers(rows, func(r row) string { return r.Reason }), len(rows)}
	if diff := gocmp.Diff([]int{9, 45, 88}, got); diff != "" {
		t.Errorf("kinds, reasons and rows of the document (-want +got):\n%s", diff)
	}
	want := []string{"AdapterMissing", "AwaitingRouterEnforcement", "Failed", "FailedClosed", "InlineDiffersFromArtifact", "Scheduled", "SpecInvalid",
		"SuspendedBySpec", "Verified"}
	if diff := gocmp.Diff(want, severalTypes(rows)); diff != "" {
		t.Errorf("reasons on several types (-want +got):\n%s", diff)
	}
}

// typeOf is a row without its reason.
func typeOf(r row) string { return r.Kind + " " + r.Type }

// vworkspace returns the rows of document 001. Sections are headed by the kind and by the type, which their first sentence repeats.
func vworkspace(t *testing.T) []row {
	lines := document(t, "001")
	at, found := tables(lines)
	var out []row
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
			out = append(out, row{kind, conditionType, cells[0], strings.Trim(cells[1], "`")})
		}
	}
	return out
}

// TestVWorkspace: the catalog has exactly the rows of document 001.
func TestVWorkspace(t *testing.T) {
	rows := vworkspace(t)
	slices.SortFunc(rows, compareRows)
	if diff := gocmp.Diff(rows, declared(t, "vworkspace.yaml", true)); diff != "" {
		t.Errorf("catalog differs from the document (-document +catalog):\n%s", diff)
	}
	got := []int{len(rows), numbers(rows, func(r row) string { return r.Reason }), numbers(rows, typeOf)}
	if diff := gocmp.Diff([]int{57, 55, 17}, got); diff != "" {
		t.Errorf("rows, reasons and types of the document (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"ChartUnreachable"}, severalTypes(rows)); diff != "" {
		t.Errorf("reasons on several types (-want +got):\n%s", diff)
	}
	unhappy := map[string]bool{}
	for _, r := range rows {
		unhappy[r.Kind+" "+r.Type] = unhappy[r.Kind+" "+r.Type] || r.Status == "False"
	}
	var without []string
	for name, has := range unhappy {
		if !has {
			without = append(without, name)
		}
	}
	slices.Sort(without)
	if diff := gocmp.Diff([]string{"ApplicationInstance Deleting", "Operation Blocked", "Operation Cancelled", "Operation Failed"}, without); diff != "" {
		t.Errorf("types without a False reason in the document (-want +got):\n%s", diff)
	}
}

// TestKro: what document 002 proposes for a definition is declared, and former names are read as the new ones.
func TestKro(t *testing.T) {
	text := strings.Join(document(t, "002"), "\n")
	want := []row{{"MyCustomKind", "Ready", "True", "AllReady"}, // "a similar example applies to Resource Graph Instance"
		{"ResourceGraphDefinition", "Ready", "True", "AllReady"}, {"ResourceGraphDefinition", "ResourceGraphKindReady", "True", "Accepted"},
		{"ResourceGraphDefinition", "ResourceGraphReady", "True", "AllReady"}}
	_, proposed, _ := strings.Cut(text, "`Proposed Update`")
	for _, r := range want[1:] {
		if !strings.Contains(proposed, "reason: \""+r.Reason+"\"\n    status: \"True\"\n    type: "+r.Type+"\n") {
			t.Errorf("the document does not propose %v", r)
		}
	}
	if diff := gocmp.Diff(want, declared(t, "kro.yaml", true)); diff != "" {
		t.Errorf("cells of the document (-want +got):\n%s", diff)
	}
	set, err := catalog.LoadFS(catalogs.FS, "kro.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		if k.For.Kind != "ResourceGraphDefinition" {
			continue
		}
		for old, name := range map[string]string{"GraphVerified": "ResourceGraphReady", "CustomResourceDefinitionSynced": "ResourceGraphKindReady", "ReconcilerReady": "Ready"} {
			if !strings.Contains(text, "type: "+old+"\n") || k.Canonical(old) != name {
				t.Errorf("%s is read as %s, want %s", old, k.Canonical(old), name)
			}
		}
	}
}

// TestKpt: the types of document 003, and the one reason that it shows.
func TestKpt(t *testing.T) {
	text := strings.Join(document(t, "003"), "\n")
	want := []row{{"Foo", "Reconciling", "True", "Reconciling"}}
	if diff := gocmp.Diff(want, declared(t, "kpt.yaml", true)); diff != "" {
		t.Errorf("cells of the document (-want +got):\n%s", diff)
	}
	for _, line := range []string{"kind: Foo", "type: Reconciling", "type: Stalled", "observedGeneration: 12"} {
		if !strings.Contains(text, line) {
			t.Errorf("the document has no %q", line)
		}
	}
}

// TestEveryStatusHasAReason: no status that a condition of the shipped catalogs can have is left without a reason.
func TestEveryStatusHasAReason(t *testing.T) {
	set, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		for i := range k.Source.Spec.Conditions {
			c := &k.Source.Spec.Conditions[i]
			if c.Derive != nil {
				continue // carries the reasons of what it is derived from
			}
			statuses := c.Statuses
			if len(statuses) == 0 && c.Presence != "when-true" {
				statuses = []string{"True", "False"}
			}
			for _, status := range statuses {
				if !slices.ContainsFunc(c.Reasons, func(r catalog.Reason) bool { return r.Status == status }) && k.Dialect != "capi-v1beta1" {
					t.Errorf("%s %s=%s has no reason", k.For.Kind, c.Type, status)
				}
			}
		}
	}
}

// TestNothingIsManaged: a shipped catalog is for reading.
func TestNothingIsManaged(t *testing.T) {
	set, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		if k.Source.Spec.Manage != nil {
			t.Errorf("%s is managed by %s", k.For.Kind, k.Source.Spec.Manage.Manager)
		}
	}
}
