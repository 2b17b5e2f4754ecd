// SPDX-License-Identifier: Apache-2.0

package golangci_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	_ "github.com/tristate/tristate/proof/consumers/golangci"
)

var files = map[string]string{
	"go.mod": "module example.com/widget\n\ngo 1.24\n",
	"catalogs/widget.yaml": `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.example.com}
spec:
  for: {group: example.com, kind: Widget, versions: [v1]}
  dialect: core
  conditions:
  - type: Ready
    meaning: The widget turns.
    role: summary
    reasons:
    - {reason: Turning, status: "True", class: ok, meaning: It turns.}
    - {reason: Stuck, status: "False", class: terminal, meaning: It does not move., remedy: Oil it.}
`,
	"api/api.go": `package api

type Condition struct {
	Type, Status, Reason, Message string
	ObservedGeneration            int64
}

type Widget struct {
	Generation int64
	Conditions []Condition
}

// Set replaces the condition of a type.
func Set(w *Widget, c Condition) {
	for i := range w.Conditions {
		if w.Conditions[i].Type == c.Type {
			w.Conditions[i] = c
			return
		}
	}
	w.Conditions = append(w.Conditions, c)
}
`,
	"widget.go": `package widget

import "example.com/widget/api"

func Judge(w *api.Widget, turning bool) {
	if turning {
		api.Set(w, api.Condition{Type: "Ready", Status: "True", Reason: "Turning", ObservedGeneration: w.Generation})
		return
	}
	api.Set(w, api.Condition{Type: "Ready", Status: "False", Reason: "Jammed", Message: "the axle does not move", ObservedGeneration: w.Generation})
	w.Conditions = append(w.Conditions, api.Condition{Type: "Ready", Status: "False", Reason: "Stuck"})
}
`,
}

// TestPlugin runs the analyzer that golangci-lint gets by its register over a module: an undeclared reason and an appended condition are
// diagnostics at their lines.
func TestPlugin(t *testing.T) {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(settings map[string]any) []string {
		t.Helper()
		build, err := register.GetPlugin("tristate")
		if err != nil {
			t.Fatal(err)
		}
		linter, err := build(settings)
		if err != nil {
			t.Fatal(err)
		}
		analyzers, err := linter.BuildAnalyzers()
		if err != nil {
			t.Fatal(err)
		}
		if err := analysis.Validate(analyzers); err != nil {
			t.Fatal(err)
		}
		loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=")},
			"./...")
		if err != nil {
			t.Fatal(err)
		}
		graph, err := checker.Analyze(analyzers, loaded, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, root := range graph.Roots {
			if root.Err != nil {
				t.Fatal(root.Err)
			}
			for _, d := range root.Diagnostics {
				at := root.Package.Fset.Position(d.Pos)
				out = append(out, fmt.Sprintf("%s:%d %s", filepath.Base(at.Filename), at.Line, d.Category))
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	want := []string{"widget.go:10 code/undeclared-reason", "widget.go:11 code/append"}
	if diff := cmp.Diff(want, run(map[string]any{"catalogs": []string{"catalogs"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:1], run(map[string]any{"catalogs": []string{"catalogs"}, "disable": []string{"code/append"}})); diff != "" {
		t.Errorf("with a check disabled (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], run(nil)); diff != "" {
		t.Errorf("without catalogs (-want +got):\n%s", diff)
	}
}
