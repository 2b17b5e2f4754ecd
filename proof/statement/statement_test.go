// SPDX-License-Identifier: Apache-2.0

package statement

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/golden"
)

const root = "../.."

// size is the number of statements of each document.
var size = map[string]int{"kars": 131, "vworkspace": 89, "kro": 42, "kpt": 13, "cluster-api": 75}

// TestRecords: each record is whole, each test that it names exists and is run, and the pages are those of the records.
func TestRecords(t *testing.T) {
	tests := Tests{Root: os.DirFS(root)}
	records := map[string][]Statement{}
	for _, system := range Systems {
		record, err := Read(os.DirFS(root), system)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(record) != size[system] {
			t.Errorf("%s has %d statements, want %d", system, len(record), size[system])
		}
		for _, s := range record {
			if system := filepath.Join(Folder, system, "operator", "internal") + "/"; pure(system, s) {
				t.Errorf("%s %d: no test of the running operator shows %q", system, s.Number, s.Text)
			}
			for _, name := range s.Tests {
				if err := tests.Check(name); err != nil {
					t.Errorf("%s %d: %v", system, s.Number, err)
				}
			}
		}
		records[system] = record
		golden.File(t, filepath.Join(root, Folder, system, "statements.md"), Page(system, record))
	}
	exceptions, err := Exceptions(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join(root, Folder, "statements.md"), Index(records, exceptions))
}

// pure reports whether a statement in prose is shown only by tests of the functions of an operator, which see words and no acts.
func pure(functions string, s Statement) bool {
	return len(s.Cells) == 0 && !slices.ContainsFunc(s.Tests, func(name string) bool { return !strings.HasPrefix(name, functions) })
}

// TestExceptions_bad: an oracle accepts several cells only with the sentence that permits them.
func TestExceptions_bad(t *testing.T) {
	for code, want := range map[string]string{
		`"True Drifted|False Recovered|"`:    `"True Drifted|False Recovered|" is a choice without a quotation`,
		`world.Open("", "True A", "")`:       "the quotation is no constant of this file",
		`world.Open(text, "True A", "")`:     "the quotation is no constant of this file",
		`strings.Split("a|b", "|")`:          "",
		`world.Open("as it is", "True A")`:   "",
		`world.Open(sentence, "True A", "")`: "",
	} {
		const name = Folder + "/kars/operator/oracle_test.go"
		files := fstest.MapFS{name: {Data: []byte("package a\n\nconst sentence = \"as it is\"\n\nfunc f(text string) { _ = " + code + " }\n")}}
		_, err := Exceptions(files)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, want) || want == "" && err != nil {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
	}
}

func TestRead_bad(t *testing.T) {
	for line, want := range map[string]string{
		"1\tdone\ttext\t-\ta.TestA":                            "5 columns, want 6",
		"1\tdone\ttext\t\ta.TestA\t-":                          "column 4 is empty, want - for nothing",
		"x\tdone\ttext\t-\ta.TestA\t-":                         `number "x" is not a number`,
		"2\tdone\ttext\t-\ta.TestA\t-":                         "statement 2 follows statement 0",
		"1\tready\ttext\t-\ta.TestA\t-":                        `state "ready" is none of [done declared partly not contradicted]`,
		"1\tdone\ttext\tKind Type True\ta.TestA\t-":            `cell "Kind Type True" has 3 fields, want kind, type, status, reason and perhaps a severity`,
		"1\tdone\ttext\t-\t-\t-":                               "statement 1 is done and no test shows it",
		"1\tdeclared\ttext\t-\t-\tsee the page":                "statement 1 is declared and no test shows it",
		"1\tdone\ttext\t-\ta.TestA\tmuch":                      "statement 1 is done and has something open: much",
		"1\tpartly\ttext\t-\ta.TestA\t-":                       "statement 1 is partly and does not say what is open",
		"1\tdone\t-\t-\ta.TestA\t-":                            "statement 1 has no text",
		"1\tdone\ttext\tKind Type True Reason Info More\t-\t-": `cell "Kind Type True Reason Info More" has 6 fields, want kind, type, status, reason and perhaps a severity`,
	} {
		files := fstest.MapFS{Folder + "/kars/statements.tsv": {Data: []byte(columns + "\n" + line + "\n")}}
		_, err := Read(files, "kars")
		if want = Folder + "/kars/statements.tsv:2: " + want; err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", line, err, want)
		}
	}
}

func TestTests(t *testing.T) {
	const code = `package a

import "testing"

func TestRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	t.Run("one of two", func(t *testing.T) {})
}

func TestSkipped(t *testing.T) {
	t.Skip("later")
}
`
	tests := Tests{Root: fstest.MapFS{
		"a/a_test.go":               {Data: []byte(code)},
		"proof/story/story_test.go": {Data: []byte("package story\n\nfunc TestStories() {}\n")},
		"internal/check/xcheck/x_test.go": {
			Data: []byte("package xcheck\n\nimport \"testing\"\n\nfunc TestExamples(t *testing.T) { t.SkipNow() }\n")},
		"internal/check/xcheck/doc/y.txtar":       {Data: []byte("-- bad.yaml --\n")},
		"systems/system/stories/good.txtar":       {Data: []byte("A story.\n[short] skip\n-- file --\nskip\n")},
		"systems/system/stories/skipped.txtar":    {Data: []byte("skip later\n-- file --\n")},
		"internal/cli/testdata/script/good.txtar": {Data: []byte("exec tristate\n")},
		"elsewhere/good.txtar":                    {Data: []byte("exec tristate\n")},
	}}
	for name, want := range map[string]string{
		"a.TestRuns":                              "",
		"a.TestRuns/one of two":                   "",
		"a.TestRuns/one_of_two":                   "",
		"systems/system/stories/good.txtar":       "",
		"a.TestRuns/three":                        `no test file of a has a subtest "three"`,
		"a.TestAbsent":                            "no test file of a has a function TestAbsent",
		"b.TestRuns":                              "no test file of b has a function TestRuns",
		"a.TestSkipped":                           "is always skipped",
		"TestRuns":                                "is neither FOLDER.TestName nor the path of a script",
		"systems/system/stories/skipped.txtar":    "is always skipped",
		"systems/system/stories/absent.txtar":     "file does not exist",
		"elsewhere/good.txtar":                    "is in no folder whose scripts are run",
		"internal/check/xcheck/doc/y.txtar":       "internal/check/xcheck.TestExamples is always skipped",
		"internal/cli/testdata/script/good.txtar": "has a function TestScripts",
	} {
		switch err := tests.Check(name); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestCell_String(t *testing.T) {
	want := []string{"Cluster ControlPlaneReady=False ScalingUp (Info)", "KarsSandbox Ready Created"}
	got := []string{Cell{"Cluster", "ControlPlaneReady", "False", "ScalingUp", "Info"}.String(),
		Cell{Kind: "KarsSandbox", Type: "Ready", Reason: "Created"}.String()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
