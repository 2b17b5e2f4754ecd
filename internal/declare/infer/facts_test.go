// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/infer"
)

// TestFacts: the facts about the documents in the research note (contracts.md 7.2), beside their numbers, are in their drafts.
func TestFacts(t *testing.T) {
	for name, want := range map[string]map[string][]string{
		"000": {
			"severalTypes": {"AdapterMissing", "AwaitingRouterEnforcement", "Failed", "FailedClosed", "InlineDiffersFromArtifact", "Scheduled",
				"SpecInvalid", "SuspendedBySpec", "Verified"},
			"SpecInvalid": {"A2AAgent/Ready", "InferencePolicy/Ready", "KarsEval/Degraded", "KarsMemory/Ready", "McpServer/Ready",
				"ToolPolicy/Ready",
				"TrustGraph/Degraded"},
			"AuthMisconfigured": {"KarsMemory/Degraded", "KarsSandbox/Degraded"},
			"order":             {"AuthMisconfigured before MemoryStoreMissing in KarsMemory/Degraded"},
			"EvalDrift":         nil, // which KarsEval writes, and the table of KarsSandbox lacks
		},
		"001": {
			"severalTypes":     {"ChartUnreachable"},
			"ChartUnreachable": {"ApplicationInstance/Degraded=True", "ApplicationInstance/Ready=False"},
			"AwaitingApproval": {"ApplicationInstance/Blocked=True", "Operation/Blocked=True"},
			"types":            {"Cluster/Connected", "Cluster/Disconnected", "Operation/Cancelled", "Operation/Failed", "Operation/Succeeded"},
		},
		"003": {"types": {"Foo/Reconciling", "Foo/Stalled"}, "polarity": {"Reconciling negative", "Stalled negative"},
			"generation": {"Foo status"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := infer.New(documents[name].options)
			if err := d.Markdown(name+".md", seed(t, name)); err != nil {
				t.Fatal(err)
			}
			got, on := map[string][]string{}, map[string][]string{}
			note := func(fact, text string) {
				if _, asked := want[fact]; asked && !slices.Contains(got[fact], text) {
					got[fact] = append(got[fact], text)
				}
			}
			for _, doc := range d.Documents() {
				kind := doc.Spec.For.Kind
				if doc.Spec.ObservedGeneration != "" {
					note("generation", kind+" "+doc.Spec.ObservedGeneration)
				}
				for _, c := range doc.Spec.Conditions {
					if len(want["types"]) == 2 || slices.Contains(want["types"], kind+"/"+c.Type) {
						note("types", kind+"/"+c.Type)
					}
					if c.Polarity == "negative" {
						note("polarity", c.Type+" negative")
					}
					auth := slices.IndexFunc(c.Reasons, func(r catalog.Reason) bool { return r.Reason == "AuthMisconfigured" })
					store := slices.IndexFunc(c.Reasons, func(r catalog.Reason) bool { return r.Reason == "MemoryStoreMissing" })
					if kind == "KarsMemory" && auth >= 0 && store > auth {
						note("order", fmt.Sprintf("AuthMisconfigured before MemoryStoreMissing in %s/%s", kind, c.Type))
					}
					for _, r := range c.Reasons {
						if r.Addition != "" {
							continue
						}
						place := kind + "/" + c.Type
						if name == "001" {
							place += "=" + r.Status
						}
						note(r.Reason, place)
						if !slices.Contains(on[r.Reason], c.Type) {
							on[r.Reason] = append(on[r.Reason], c.Type)
						}
					}
				}
			}
			for reason, types := range on {
				if len(types) > 1 {
					note("severalTypes", reason)
				}
			}
			for fact := range want {
				slices.Sort(got[fact])
				if diff := cmp.Diff(want[fact], got[fact]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", strings.ToLower(fact), diff)
				}
			}
		})
	}
}
