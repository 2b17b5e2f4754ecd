// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"maps"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/flux"
	"github.com/tristate/tristate/proof/exporttest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestHealth has Flux evaluate the expressions.
func TestHealth(t *testing.T) {
	exporttest.Prove(t, exporttest.Consumer{
		Word:  flux.Word,
		List:  "docs/exports/flux-differences.tsv",
		Error: "InProgress", // Flux goes on waiting
		For: func(_ testing.TB, s *export.Subject) ([]export.Difference, func(map[string]any) (exporttest.Answer, error)) {
			check, differences, err := flux.CheckOf(s)
			if err != nil {
				t.Fatal(err)
			}
			evaluator, err := cel.NewStatusEvaluator(&kustomize.HealthCheckExpressions{InProgress: check.InProgress, Failed: check.Failed,
				Current: check.Current})
			if err != nil {
				t.Fatalf("%s: %v", s.Name(), err)
			}
			return differences, func(object map[string]any) (exporttest.Answer, error) {
				if object["metadata"] == nil { // every object of an API server has one
					object = maps.Clone(object)
					object["metadata"] = map[string]any{}
				}
				result, err := evaluator.Evaluate(t.Context(), &unstructured.Unstructured{Object: object})
				if err != nil {
					return exporttest.Answer{Message: strings.TrimSpace(err.Error()[strings.LastIndex(err.Error(), "':")+1:])}, err
				}
				return exporttest.Answer{Word: result.Status.String()}, nil
			}
		},
		Excuses: exporttest.OfFlux,
	})
}
