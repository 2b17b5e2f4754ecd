// SPDX-License-Identifier: Apache-2.0

package crossplane

import (
	"strings"
	"testing"

	resolver "github.com/crossplane/function-auto-ready/cel"
	"github.com/crossplane/function-auto-ready/input/v1beta1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/prove/exporttest"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/crossplane"
	"github.com/tristate/tristate/internal/read/export/flux"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// The words of the function: whether an object is ready.
const readyWord, notReady = "ready", "not ready"

// word returns the word of the function for a verdict.
func word(s verdict.Status) string {
	if flux.Word(s) == "Current" {
		return readyWord
	}
	return notReady
}

// check is an expression. The resolver compiles it for each object, which takes longer than everything else: it is asked about the first
// object of a kind and about each fiftieth, and the program has to answer the same. The program is made as the resolver makes its own, with
// its version of CEL.
type check struct {
	source  string
	program cel.Program
	asked   int
}

func newCheck(t *testing.T, source string) *check {
	env, err := cel.NewEnv(cel.Variable("object", cel.AnyType))
	if err != nil {
		t.Fatal(err)
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	program, err := env.Program(checked)
	if err != nil {
		t.Fatal(err)
	}
	return &check{source: source, program: program}
}

func (c *check) ask(t *testing.T, object map[string]any) (bool, error) {
	value, _, err := c.program.Eval(map[string]any{"object": object})
	ready := err == nil && value == types.True
	if c.asked++; c.asked%50 == 1 {
		answer, failed := resolver.Resolver{}.HealthDeriveFromCelQuery(c.source, object)
		if (answer == resource.ReadyTrue) != ready || (failed == nil) != (err == nil) {
			t.Errorf("the resolver answers %q, %v; the program %v, %v", answer, failed, ready, err)
		}
	}
	return ready, err
}

// TestReady evaluates the expressions over objects as requests to the function bring them, with numbers that are all floats.
func TestReady(t *testing.T) {
	exporttest.Prove(t, exporttest.Consumer{
		Word: word,
		List: "docs/exports/crossplane-differences.tsv",
		For: func(_ testing.TB, s *export.Subject) ([]export.Difference, func(map[string]any) (exporttest.Answer, error)) {
			var differences []export.Difference
			checks := map[*catalog.Kind]*check{}
			for _, k := range s.Kinds {
				source, some, err := crossplane.Check(s, k)
				if err != nil {
					t.Fatal(err)
				}
				checks[k] = newCheck(t, source)
				differences = append(differences, some...)
			}
			return export.SortDifferences(differences), func(object map[string]any) (exporttest.Answer, error) {
				api, _ := object["apiVersion"].(string)
				k := s.Kind(api[strings.IndexByte(api, '/')+1:])
				if k == nil { // no check is about this version
					k = s.Kinds[0]
				}
				request, err := resource.AsStruct(&unstructured.Unstructured{Object: object})
				if err != nil {
					t.Fatal(err)
				}
				observed := composed.New()
				if err := resource.AsObject(request, observed); err != nil {
					t.Fatal(err)
				}
				ready, err := checks[k].ask(t, observed.Object)
				if ready {
					return exporttest.Answer{Word: readyWord}, err
				}
				return exporttest.Answer{Word: notReady}, err
			}
		},
		Excuses: exporttest.OfFlux,
	})
}

// TestInput: the function's type holds what is written, and its resolver finds the check of each version by its key.
func TestInput(t *testing.T) {
	own, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := export.Subjects([]string{"ToolPolicy.kars.azure.com"}, own)
	if err != nil {
		t.Fatal(err)
	}
	product, err := crossplane.Generate(subjects, nil)
	if err != nil {
		t.Fatal(err)
	}
	var in v1beta1.Input
	if err := yaml.UnmarshalStrict(product.Files[0].Data, &in); err != nil {
		t.Fatal(err)
	}
	want, _, err := crossplane.Check(subjects[0], subjects[0].Kind("v1alpha1"))
	if err != nil {
		t.Fatal(err)
	}
	got, found := resolver.Resolver{HealthCheckRegistry: *in.CELHealthCheckCustomization}.GetHealthCheck(
		schema.GroupVersionKind{Group: "kars.azure.com", Version: "v1alpha1", Kind: "ToolPolicy"})
	if !found || got != want {
		t.Errorf("the resolver finds %q, want %q", got, want)
	}
}
