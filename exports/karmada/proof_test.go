// SPDX-License-Identifier: Apache-2.0

package karmada

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/karmada-io/karmada/pkg/apis/config/v1alpha1"
	"github.com/karmada-io/karmada/pkg/resourceinterpreter/customized/declarative/luavm"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/prove/exporttest"
	"github.com/tristate/tristate/internal/read/export"
	"github.com/tristate/tristate/internal/read/export/karmada"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The words of the interpreter: whether an object is healthy.
const healthyWord, unhealthy = "Healthy", "Unhealthy"

// word returns the word of the interpreter for a verdict.
func word(s verdict.Status) string {
	if s == verdict.Current || s == verdict.Suspended {
		return healthyWord
	}
	return unhealthy
}

// TestHealth has Karmada run the scripts, all in the Lua states of one interpreter, as it does.
func TestHealth(t *testing.T) {
	vm := luavm.New(false, 10)
	exporttest.Prove(t, exporttest.Consumer{
		Word: word,
		List: "docs/exports/karmada-differences.tsv",
		For: func(_ testing.TB, s *export.Subject) ([]export.Difference, func(map[string]any) (exporttest.Answer, error)) {
			script, differences := karmada.Script(s)
			return differences, func(object map[string]any) (exporttest.Answer, error) {
				healthy, err := vm.InterpretHealth(&unstructured.Unstructured{Object: object}, script)
				for tries := 0; err != nil && tries < 100 && strings.Contains(err.Error(), context.DeadlineExceeded.Error()); tries++ {
					healthy, err = vm.InterpretHealth(&unstructured.Unstructured{Object: object}, script) // its second is one of the clock
				}
				if !healthy {
					return exporttest.Answer{Word: unhealthy}, err
				}
				return exporttest.Answer{Word: healthyWord}, err
			}
		},
	})
}

// TestCustomization: Karmada's type holds what is written, a customisation for each version.
func TestCustomization(t *testing.T) {
	own, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := export.Subjects([]string{"ToolPolicy.kars.azure.com"}, own)
	if err != nil {
		t.Fatal(err)
	}
	product, err := karmada.Generate(subjects, []string{"v1alpha1", "v1"})
	if err != nil {
		t.Fatal(err)
	}
	script, _ := karmada.Script(subjects[0])
	var got []string
	for document := range strings.SplitSeq(string(product.Files[0].Data), "---\n") {
		var c v1alpha1.ResourceInterpreterCustomization
		if err := yaml.UnmarshalStrict([]byte(document), &c); err != nil {
			t.Fatal(err)
		}
		if c.Name == "" {
			continue // the comment
		}
		got = append(got, c.Name+" "+c.Spec.Target.APIVersion+" "+c.Spec.Target.Kind)
		if diff := cmp.Diff(script, c.Spec.Customizations.HealthInterpretation.LuaScript); diff != "" {
			t.Error(diff)
		}
	}
	want := []string{"toolpolicy.kars.azure.com-v1alpha1 kars.azure.com/v1alpha1 ToolPolicy",
		"toolpolicy.kars.azure.com-v1 kars.azure.com/v1 ToolPolicy"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
