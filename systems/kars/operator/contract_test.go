// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/contract"
)

const catalogFile = "../catalog.yaml"

var kept = contract.Operator{Catalog: catalogFile, Kinds: len(kinds)}

// TestCheck: the definitions keep the contract, and the code writes every declared cell and no other.
func TestCheck(t *testing.T) { kept.Check(t, "--source", ".") }

func TestConformance(t *testing.T) { kept.Conformance(t) }

// TestGenerated: the passes are those of the catalog.
func TestGenerated(t *testing.T) { kept.Generated(t) }

// TestRelations: tree follows the references that a spec implies as well as those that it names: the default policy, and the deprecated
// reference to one server.
func TestRelations(t *testing.T) {
	tests := map[string][]string{
		"a": {"InferencePolicy/models", "McpServer/wiki", "ToolPolicy/kars-default"}, // the deprecated reference, and no policy
		"b": {"InferencePolicy/models", "McpServer/wiki"},                            // governance is switched off
		"c": {"InferencePolicy/models", "ToolPolicy/kars-default"},                   // no governance at all
	}
	for name, want := range tests {
		var stdout, stderr bytes.Buffer
		app := cli.New()
		app.Out, app.Err = &stdout, &stderr
		app.Run(t.Context(), []string{"tree", "karssandbox/" + name, "-n", "n", "-f", "testdata/references.yaml", "--catalogs", catalogFile})
		var got []string
		for line := range strings.Lines(stdout.String()) {
			if fields := strings.Fields(line); len(fields) > 1 && (fields[0] == "├─" || fields[0] == "└─") {
				got = append(got, fields[1])
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("sandbox %s: -want +got\n%s%s", name, d, stderr.String())
		}
	}
}
