// SPDX-License-Identifier: Apache-2.0

package systems_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/statement"
	"github.com/tristate/tristate/systems"
)

// The catalogs are held to the record of the documents (systems/*/statements.tsv), which every clone has; the record is held to the
// documents in texts_test.go.

// facts returns what is recorded of a document's tables and examples.
func facts(t *testing.T, system string) []statement.Cell {
	t.Helper()
	record, err := statement.Read(os.DirFS(".."), system)
	if err != nil {
		t.Fatal(err)
	}
	return statement.Cells(record)
}

func compareCells(a, b statement.Cell) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Type, b.Type), strings.Compare(a.Status, b.Status),
		strings.Compare(a.Reason, b.Reason))
}

// cell is a declared cell. Added cells are those that the document does not have.
type cell struct {
	statement.Cell
	added bool
}

// declared returns the cells of a catalog and its kinds by name. A type without reasons of its own has one cell without a reason.
func declared(t *testing.T, file string) (cells []cell, kinds map[string]*catalog.Kind) {
	t.Helper()
	set, err := catalog.LoadFS(systems.Catalogs, file)
	if err != nil {
		t.Fatal(err)
	}
	system, _, _ := strings.Cut(file, "/")
	additions, err := systems.Additions(system)
	if err != nil {
		t.Fatal(err)
	}
	kinds = map[string]*catalog.Kind{}
	for _, k := range set.Kinds() {
		kinds[k.For.Kind] = k
		for _, c := range k.Source.Spec.Conditions {
			cells = append(cells, cell{statement.Cell{Kind: k.For.Kind, Type: c.Type}, true})
			for _, r := range c.Reasons {
				name := k.For.Kind + " " + c.Type + "=" + r.Status + " " + r.Reason
				cells = append(cells, cell{statement.Cell{Kind: k.For.Kind, Type: c.Type, Status: r.Status, Reason: r.Reason, Severity: r.Severity},
					additions[name] != ""})
				delete(additions, name)
			}
		}
	}
	for name := range additions {
		t.Errorf("%s/additions.tsv has %s, which is not declared", system, name)
	}
	return cells, kinds
}

// fits returns true if a declared cell is the one that a document has; what the document leaves open fits everything.
func fits(document, declared statement.Cell) bool {
	same := func(document, declared string) bool { return document == "" || document == declared }
	return document.Kind == declared.Kind && document.Type == declared.Type && same(document.Status, declared.Status) &&
		same(document.Reason, declared.Reason) &&
		same(document.Severity, declared.Severity)
}

// compare holds a catalog to the facts of its document: each is declared, under its name or one that is read for it, and a cell that is not
// marked as an addition is a fact.
func compare(t *testing.T, file string, facts []statement.Cell) {
	t.Helper()
	cells, kinds := declared(t, file)
	var canonical []statement.Cell
	for _, f := range facts {
		if k := kinds[f.Kind]; k != nil {
			f.Type = k.Canonical(f.Type)
		}
		canonical = append(canonical, f)
		if !slices.ContainsFunc(cells, func(c cell) bool { return fits(f, c.Cell) && (f.Reason == "" || !c.added) }) {
			t.Errorf("the document has %s, and the catalog does not", f)
		}
	}
	for _, c := range cells {
		if !c.added && !slices.ContainsFunc(canonical, func(f statement.Cell) bool { return fits(f, c.Cell) }) {
			t.Errorf("the catalog has %s, and the document does not", c.Cell)
		}
	}
}

// distinct counts the distinct values of a column.
func distinct(facts []statement.Cell, of func(statement.Cell) string) int {
	seen := map[string]bool{}
	for _, f := range facts {
		seen[of(f)] = true
	}
	return len(seen)
}

func typeOf(c statement.Cell) string   { return c.Kind + " " + c.Type }
func reasonOf(c statement.Cell) string { return c.Reason }

// severalTypes returns the reasons that are on more than one type.
func severalTypes(facts []statement.Cell) []string {
	types := map[string]map[string]bool{}
	for _, f := range facts {
		if types[f.Reason] == nil {
			types[f.Reason] = map[string]bool{}
		}
		types[f.Reason][f.Type] = true
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

// TestKars: the catalog has exactly the rows of document 000.
func TestKars(t *testing.T) {
	rows := facts(t, "kars")
	compare(t, "kars/catalog.yaml", rows)
	got := []int{distinct(rows, func(c statement.Cell) string { return c.Kind }), distinct(rows, reasonOf), len(rows)}
	if diff := gocmp.Diff([]int{9, 45, 88}, got); diff != "" {
		t.Errorf("kinds, reasons and rows of the document (-want +got):\n%s", diff)
	}
	want := []string{"AdapterMissing", "AwaitingRouterEnforcement", "Failed", "FailedClosed", "InlineDiffersFromArtifact", "Scheduled",
		"SpecInvalid",
		"SuspendedBySpec", "Verified"}
	if diff := gocmp.Diff(want, severalTypes(rows)); diff != "" {
		t.Errorf("reasons on several types (-want +got):\n%s", diff)
	}
}

// TestVWorkspace: the catalog has exactly the rows of document 001.
func TestVWorkspace(t *testing.T) {
	rows := facts(t, "vworkspace")
	compare(t, "vworkspace/catalog.yaml", rows)
	if diff := gocmp.Diff([]int{57, 55, 17}, []int{len(rows), distinct(rows, reasonOf), distinct(rows, typeOf)}); diff != "" {
		t.Errorf("rows, reasons and types of the document (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"ChartUnreachable"}, severalTypes(rows)); diff != "" {
		t.Errorf("reasons on several types (-want +got):\n%s", diff)
	}
	unhappy := map[string]bool{}
	for _, r := range rows {
		unhappy[typeOf(r)] = unhappy[typeOf(r)] || r.Status == "False"
	}
	var without []string
	for name, has := range unhappy {
		if !has {
			without = append(without, name)
		}
	}
	slices.Sort(without)
	if diff := gocmp.Diff([]string{"ApplicationInstance Deleting", "Operation Blocked", "Operation Cancelled", "Operation Failed"},
		without); diff != "" {
		t.Errorf("types without a False reason in the document (-want +got):\n%s", diff)
	}
}

// TestKro: what document 002 proposes is declared, and former names are read as the new ones.
func TestKro(t *testing.T) {
	compare(t, "kro/catalog.yaml", facts(t, "kro"))
	_, kinds := declared(t, "kro/catalog.yaml")
	for old, name := range map[string]string{"GraphVerified": "ResourceGraphReady", "CustomResourceDefinitionSynced": "ResourceGraphKindReady",
		"ReconcilerReady": "Ready"} {
		if got := kinds["ResourceGraphDefinition"].Canonical(old); got != name {
			t.Errorf("%s is read as %s, want %s", old, got, name)
		}
	}
}

// TestKpt: the catalog has the types of document 003, and the one reason that it shows.
func TestKpt(t *testing.T) { compare(t, "kpt/catalog.yaml", facts(t, "kpt")) }

// core are the kinds of Cluster API that no provider owns.
var core = []string{"Cluster", "Machine", "MachineSet", "MachineDeployment"}

// TestClusterAPI: the catalog has the types and cells that document 004 names, each kind has a Ready that sums up, and no type of a core
// kind names a provider.
func TestClusterAPI(t *testing.T) {
	cells, kinds := declared(t, "cluster-api/catalog.yaml")
	for _, f := range facts(t, "cluster-api") {
		k := kinds[f.Kind]
		if k == nil {
			t.Errorf("the document has %s, and the catalog does not have the kind", f)
			continue
		}
		f.Type = k.Canonical(f.Type)
		if !slices.ContainsFunc(cells, func(c cell) bool {
			carried := f.Reason != "" && (f.Type == "Ready" || f.Type == "ControlPlaneReady") // with reason and severity, from the conditions below
			return fits(f, c.Cell) || carried && f.Status == c.Status && f.Reason == c.Reason && f.Severity == c.Severity
		}) {
			t.Errorf("the document has %s, and the catalog does not", f)
		}
	}
	provider := regexp.MustCompile(`(?i)aws|ec2|vpc|kubeadm|azure|gcp|vsphere|docker`)
	for name, k := range kinds {
		for _, c := range k.Source.Spec.Conditions {
			if slices.Contains(core, name) && provider.MatchString(c.Type) {
				t.Errorf("%s %s: a type of a core kind names a provider", name, c.Type)
			}
			if c.Type == "Ready" && (c.Derive == nil || c.Derive.Summary == nil) {
				t.Errorf("Ready of %s is no summary", name)
			}
		}
		if !slices.ContainsFunc(k.Source.Spec.Conditions, func(c catalog.Condition) bool { return c.Type == "Ready" }) {
			t.Errorf("%s has no Ready", name)
		}
	}
}

// TestEveryStatusHasAReason: no status that a condition of the shipped catalogs can have is left without a reason.
func TestEveryStatusHasAReason(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, ".")
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
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		if k.Source.Spec.Manage != nil {
			t.Errorf("%s is managed by %s", k.For.Kind, k.Source.Spec.Manage.Manager)
		}
	}
}
