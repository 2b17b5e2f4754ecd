// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/docs"
	"github.com/tristate/tristate/internal/gen"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const catalogFile = "../../catalogs/kars.yaml"

// TestCheck: the definitions keep the contract, and the code of the module writes every declared cell and no other. The catalogs of all its
// operators are checked at once, because the source of a check is a whole module. Two findings stand: vworkspace copies conditions that it has
// written into its record of transitions and into its protocol.
func TestCheck(t *testing.T) {
	var stdout, stderr bytes.Buffer
	app := cli.New()
	app.Out, app.Err = &stdout, &stderr
	app.Run(context.Background(), []string{"check", catalogFile, "../../catalogs/vworkspace.yaml", "config/crd", "../vworkspace/config/crd", "--no-embedded",
		"--source", "..", "--skip", "crd/printer-summary,catalog/reason-is-type,catalog/reason-near-duplicate"})
	text := stdout.String()
	for _, want := range []string{"record/record.go:", "[code/forwarded-unsanitised]", "agent/protocol.go:", "[code/forwarded]", "1 error, 1 warning"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s%s", want, text, stderr.String())
		}
	}
	if strings.Contains(text, "no source") {
		t.Errorf("the code was not read:\n%s", text)
	}
}

// TestConformance is criterion C3 of the CNCF suite with its neighbours, and what the suite leaves out: the conditions are a list that is
// keyed by type.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("config/crd/*.yaml")
	if err != nil || len(files) != len(kinds) {
		t.Fatalf("%d definitions for %d kinds, %v", len(files), len(kinds), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(data, &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			status := v.Schema.OpenAPIV3Schema.Properties["status"]
			list := status.Properties["conditions"]
			rules := bytes.Count(data, []byte("x-kubernetes-validations"))
			switch {
			case list.Type != "array":
				t.Errorf("C3: %s has no conditions[]", crd.Spec.Names.Kind)
			case list.XListType == nil || *list.XListType != "map" || !cmp.Equal(list.XListMapKeys, []string{"type"}):
				t.Errorf("%s: the conditions are not a map keyed by type", crd.Spec.Names.Kind)
			case len(list.Items.Schema.Properties) != 6:
				t.Errorf("%s: a condition has not the six standard fields", crd.Spec.Names.Kind)
			case !v.Served || !v.Storage || len(v.AdditionalPrinterColumns) == 0 || v.Subresources == nil || v.Subresources.Status == nil || rules == 0 ||
				crd.Labels["app.kubernetes.io/name"] == "":
				t.Errorf("C1, C2, C5, C6 or C10: %s", crd.Spec.Names.Kind)
			}
		}
	}
}

// TestGenerated: the passes are those of the catalog.
func TestGenerated(t *testing.T) {
	for _, k := range declared(t) {
		file := filepath.Join("internal", gen.PackageName(k), "zz_generated.go")
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := gen.Go(k, "", "kars.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is not up to date: run go generate ./...", file)
		}
	}
}

// TestPage: the tables of the page are those of the catalog.
func TestPage(t *testing.T) {
	const file = "../../docs/systems/kars.md"
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := docs.Update(file, string(have), declared(t))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if line, got, wants := docs.Difference(string(have), want); line != 0 {
		t.Errorf("%s:%d: %q, want %q; UPDATE=1 writes it", file, line, got, wants)
	}
}

func declared(t *testing.T) []*catalog.Kind {
	t.Helper()
	data, err := os.ReadFile(catalogFile)
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Load(map[string][]byte{"kars.yaml": data})
	if err != nil {
		t.Fatal(err)
	}
	return set.Kinds()
}

// TestRelations: tree follows what the spec implies as well as what it names: the default policy, and the deprecated reference to one server.
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
