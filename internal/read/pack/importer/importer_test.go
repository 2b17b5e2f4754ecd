// SPDX-License-Identifier: Apache-2.0

package importer_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/internal/read/pack/importer"
	"github.com/tristate/tristate/verdict"
)

var update = flag.Bool("update", false, "write the golden files")

// written returns the result of an import as text: the catalogs, and the issues as comments.
func written(t testing.TB, tool importer.Tool, file string, data []byte) string {
	t.Helper()
	documents, issues, err := tool.Import(file, data)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i := range documents {
		text, err := documents[i].YAML()
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("---\n" + string(text))
	}
	for _, issue := range issues {
		out.WriteString("# " + issue.String() + "\n")
	}
	return out.String()
}

func TestImport(t *testing.T) {
	for _, tool := range importer.All {
		t.Run(tool.Name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", tool.Name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			got := written(t, tool, tool.Name+".yaml", data)
			golden := filepath.Join("testdata", tool.Name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Imported rules judge as the tool does.
func TestImport_judges(t *testing.T) {
	const lamp = "apiVersion: example.org/v1, kind: Lamp"
	tests := map[string]struct {
		tool, object string
		want         verdict.Status
	}{
		"flux, in progress": {"flux", lamp + ", status: {phase: Warming}", verdict.InProgress},
		"flux, failed":      {"flux", lamp + ", status: {phase: Lit, conditions: [{type: Broken, status: 'True'}]}", verdict.Failed},
		"flux, current":     {"flux", lamp + ", status: {phase: Lit, conditions: []}", verdict.Current},
		"flux, none holds":  {"flux", lamp + ", status: {phase: Dusk, conditions: []}", verdict.InProgress},
		"flux, not observed": {"flux", lamp + ", metadata: {generation: 2}, status: {observedGeneration: 1, phase: Lit}",
			verdict.InProgress},
		"flux, any kind of a group": {"flux",
			"apiVersion: furniture.example.org/v1beta1, kind: Chair, metadata: {generation: 1}, status: {observedGeneration: 1}", verdict.Current},
		"kapp, failed for a short time": {"kapp", lamp +
			", status: {conditions: [{type: Broken, status: 'True', lastTransitionTime: '2025-12-31T23:59:45Z'}]}", verdict.InProgress},
		"kapp, failed for long": {"kapp", lamp +
			", status: {conditions: [{type: Broken, status: 'True', lastTransitionTime: '2025-12-31T23:59:15Z'}]}", verdict.Failed},
		"kapp, success":  {"kapp", lamp + ", status: {conditions: [{type: Lit, status: 'True'}]}", verdict.Current},
		"kapp, not done": {"kapp", lamp + ", status: {conditions: [{type: Lit, status: 'False'}]}", verdict.InProgress},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", test.tool+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range importer.All {
				if tool.Name != test.tool {
					continue
				}
				set, err := catalog.Load(map[string][]byte{"imported.yaml": []byte(written(t, tool, "file", data))})
				if err != nil {
					t.Fatal(err)
				}
				cases, err := pack.ReadCases("case", []byte("- {name: x, verdict: "+string(test.want)+", object: {"+test.object+"}}"))
				if err != nil {
					t.Fatal(err)
				}
				for _, wrong := range cases[0].Run(pack.Engine(set)).Wrong {
					t.Error(wrong)
				}
			}
		})
	}
}

// FuzzImport: the catalogs that are imported from any file load.
func FuzzImport(f *testing.F) {
	for _, tool := range importer.All {
		data, err := os.ReadFile(filepath.Join("testdata", tool.Name+".yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, tool := range importer.All {
			documents, _, err := tool.Import("file", data)
			if err != nil {
				continue
			}
			for i := range documents {
				text, err := documents[i].YAML()
				if err != nil {
					t.Fatal(err)
				}
				set, err := catalog.Load(map[string][]byte{"imported.yaml": text})
				if err != nil || len(set.Kinds()) != 1 {
					t.Fatalf("%v\n%s", err, text)
				}
				pack.Engine(set).Judge(map[string]any{"kind": documents[i].Spec.For.Kind, "status": map[string]any{}}, time.Time{})
			}
		}
	})
}
