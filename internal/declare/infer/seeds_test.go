// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/infer"
)

var karsKinds = []string{"KarsSandbox", "A2AAgent", "McpServer", "ToolPolicy", "InferencePolicy", "KarsMemory", "KarsEval", "TrustGraph",
	"EgressApproval"}

// documents are the five, with the options for the information that they lack and their faults: the findings of the checks on the draft,
// and the comments at its head.
var documents = map[string]struct {
	options  infer.Options
	findings []string
	unused   []string
	// kinds, types, rows (kind, type, reason) as the document has them, distinct reasons
	counts [4]int
}{
	"000": {
		options: infer.Options{Group: "kars.azure.com", Kinds: karsKinds},
		findings: []string{
			"catalog/foreign-writer-declared KarsEval.kars.azure.com KarsSandbox.kars.azure.com/Degraded/EvalDrift",
			"catalog/reason-orphan shared TimedOut",
			"catalog/status-cell-empty KarsEval.kars.azure.com/ConformanceDrift=False",
			"catalog/status-cell-empty KarsSandbox.kars.azure.com/RuntimeReady=True",
		},
		counts: [4]int{9, 31, 88, 45},
	},
	"001": {
		options: infer.Options{Kinds: []string{"ApplicationInstance.apps.vworkspace.io", "Operation.ops.vworkspace.io",
			"Cluster.ops.vworkspace.io"}},
		findings: []string{
			"catalog/reason-is-type ApplicationInstance.apps.vworkspace.io/Ready=Unknown/Reconciling",
			"catalog/reason-is-type Cluster.ops.vworkspace.io/Disconnected=False/Connected", // the mirror pair
			"catalog/reason-near-duplicate MissingDependencies DependencyMissing",           // contracts.md names it in 5.1, not in 7.2
			"catalog/status-cell-empty ApplicationInstance.apps.vworkspace.io/Deleting=False",
			"catalog/status-cell-empty Operation.ops.vworkspace.io/Blocked=False",
			"catalog/status-cell-empty Operation.ops.vworkspace.io/Cancelled=False",
			"catalog/status-cell-empty Operation.ops.vworkspace.io/Failed=False",
		},
		counts: [4]int{3, 17, 57, 55},
	},
	"002": {
		options: infer.Options{Kinds: []string{"ResourceGraphDefinition.kro.run"}},
		findings: []string{
			"docs/example-invalid 002.md Example/ResourceGraphReady lastTransitionTime",
			"docs/example-invalid 002.md live/reason-empty Example.example/example/CustomResourceDefinitionSynced",
			"docs/example-invalid 002.md live/reason-empty Example.example/example/GraphVerified",
			"docs/example-invalid 002.md live/reason-empty Example.example/example/ReconcilerReady",
		},
		unused: []string{
			`002.md:146: ReconcilerReady=True has no reason`,
			`002.md:151: GraphVerified=True has no reason`,
			`002.md:156: CustomResourceDefinitionSynced=True has no reason`,
			`002.md:174: lastTransitionTime "2025-03-24T21:31:02Za" of ResourceGraphReady is no time`,
		},
		counts: [4]int{1, 3, 3, 2},
	},
	"003": {
		findings: []string{
			"catalog/reason-is-type Foo.example.com/Reconciling=True/Reconciling", // the example calls both so
			"docs/example-invalid 003.md Foo apiVersion",
			"docs/example-invalid 003.md Foo/Reconciling lastUpdateTime",
			"docs/example-invalid 003.md Foo/Stalled lastUpdateTime",
			"docs/example-invalid 003.md live/reason-empty Foo/bar/Stalled",
		},
		unused: []string{
			`003.md:55: Reconciling has a lastUpdateTime, which conditions do not have`,
			`003.md:61: Stalled=False has no reason`,
			`003.md:61: Stalled has a lastUpdateTime, which conditions do not have`,
		},
		counts: [4]int{1, 2, 1, 1},
	},
	"004": {
		options: infer.Options{Group: "cluster.x-k8s.io"},
		counts:  [4]int{5, 24, 4, 4},
		findings: []string{ // types that the document misspells, so that they end in no word of its rule
			"catalog/type-suffix AwsMachine.cluster.x-k8s.io/BootstrapDataSecretDeletionSuccceded",
			"catalog/type-suffix KubeadmControlPlane.cluster.x-k8s.io/CoreDNSUpgradeSucceded",
			"catalog/type-suffix KubeadmControlPlane.cluster.x-k8s.io/KubeProxyUpgradeSucceded",
			"catalog/type-suffix KubeadmControlPlane.cluster.x-k8s.io/MachineRemediationSuccedeed",
			"catalog/type-suffix KubeadmControlPlane.cluster.x-k8s.io/MachinesUpgradeSuccedeed",
			"catalog/type-suffix KubeadmControlPlane.cluster.x-k8s.io/ScalingDownSuccedeed",
			"catalog/type-suffix KubeadmControlPlane.cluster.x-k8s.io/ScalingUpSuccedeed",
		},
	},
}

// families are the checks of a draft and its document. Findings of other families about files are left to their tests.
var families = []string{"catalog/", "docs/example-invalid"}

// seed reads one of the five documents; the test is skipped if they are absent.
func seed(t *testing.T, prefix string) []byte {
	t.Helper()
	names, _ := filepath.Glob("../../../../shared/seeds/" + prefix + "_*.txt")
	if len(names) != 1 {
		t.Skip("the documents are not at hand: ../shared/seeds is absent")
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// findingsOf returns the findings of the checks on a draft and on the examples of its document, by check and subject.
func findingsOf(t *testing.T, draft []byte, file string, document []byte) []string {
	t.Helper()
	e := evidence.New()
	e.File(file, document, true)
	e.AddCatalog("draft.yaml", draft)
	e.Join(nil)
	var out []string
	for _, f := range check.Run(e, all.Checks, check.Options{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}).Findings(check.Info) {
		if slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(f.Check.ID, family) }) {
			out = append(out, f.Check.ID+" "+f.Subject)
		}
	}
	slices.Sort(out)
	return out
}

// TestDocuments: each document imports, with its numbers, and its draft has exactly the findings that the document deserves.
func TestDocuments(t *testing.T) {
	for name, want := range documents {
		t.Run(name, func(t *testing.T) {
			d := infer.New(want.options)
			if err := d.Markdown(name+".md", seed(t, name)); err != nil {
				t.Fatal(err)
			}
			draft, err := d.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := catalog.Parse("draft.yaml", draft); err != nil {
				t.Fatalf("the draft is no catalog: %v\n%s", err, draft)
			}
			if diff := cmp.Diff(want.findings, findingsOf(t, draft, name+".md", seed(t, name))); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			unused := slices.DeleteFunc(slices.Clone(d.Unused()), func(s string) bool { return strings.Contains(s, "its kind is not named") })
			if diff := cmp.Diff(want.unused, unused, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("not used (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.counts, countsOf(d)); diff != "" {
				t.Errorf("kinds, types, rows and reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// countsOf counts the types and reasons of the document itself.
func countsOf(d *infer.Draft) [4]int {
	types, rows, reasons := 0, 0, map[string]bool{}
	documents := d.Documents()
	for _, doc := range documents {
		types += len(doc.Spec.Conditions)
		for _, c := range doc.Spec.Conditions {
			for _, r := range c.Reasons {
				if r.Addition == "" {
					rows++
					reasons[r.Reason] = true
				}
			}
		}
	}
	return [4]int{len(documents), types, rows, len(reasons)}
}

// TestMisspelt: the names that document 004 misspells are called so.
func TestMisspelt(t *testing.T) {
	d := infer.New(infer.Options{})
	if err := d.Markdown("004.md", seed(t, "004")); err != nil {
		t.Fatal(err)
	}
	draft, err := d.YAML()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(string(draft), "\n") {
		if name, note, ok := strings.Cut(line, " # "); ok && strings.Contains(note, "misspelt") {
			got = append(got, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "- type:")))
		}
	}
	want := []string{"ScalingUpSuccedeed", "ScalingDownSuccedeed", "MachineRemediationSuccedeed", "MachinesUpgradeSuccedeed",
		"KubeProxyUpgradeSucceded",
		"CoreDNSUpgradeSucceded", "BootstrapDataSecretDeletionSuccceded"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
