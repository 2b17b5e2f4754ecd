// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/metrics"
	"github.com/tristate/tristate/systems"
)

func subjects(t *testing.T, names ...string) []*export.Subject {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	out, err := export.Subjects(names, set)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestHelm: the files for a chart become the plain ones when Helm's template engine has read them.
func TestHelm(t *testing.T) {
	list := subjects(t, "ToolPolicy.kars.azure.com")
	plain, err := metrics.Generate(list, metrics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chart, err := metrics.Generate(list, metrics.Options{Helm: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range chart.Files {
		parsed, err := template.New(f.Name).Parse(string(f.Data))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := parsed.Execute(&b, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(plain.Files[i].Data), b.String()); diff != "" {
			t.Errorf("%s (-plain +chart):\n%s", f.Name, diff)
		}
	}
}

// TestNotes: the number of series is printed before anything is scraped, and what cannot be expressed is listed.
func TestNotes(t *testing.T) {
	p, err := metrics.Generate(subjects(t, "ToolPolicy.kars.azure.com"), metrics.Options{Objects: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := "ToolPolicy.kars.azure.com: at most 9 series an object from kube-state-metrics and 4 recorded ones, 1300 for 100 objects"
	if !slices.Contains(p.Notes, want) {
		t.Errorf("notes %q", p.Notes)
	}
	differences := []export.Difference{{Subject: "ToolPolicy.kars.azure.com", ID: "deadline-since", Where: "Progressing/AwaitingRouterEnforcement",
		Why: "the alert counts from when the cell began, not since progress"}}
	if diff := cmp.Diff(differences, p.Differences); diff != "" {
		t.Error(diff)
	}
	if _, err := metrics.Generate(subjects(t, "ToolPolicy.kars.azure.com"), metrics.Options{Per: "cluster"}); err == nil {
		t.Error("an unknown scope is accepted")
	}
}
