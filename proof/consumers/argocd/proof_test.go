// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"context"
	"strings"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/argocd"
	"github.com/tristate/tristate/proof/exporttest"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var words = map[verdict.Status]string{
	verdict.Current: "Healthy", verdict.InProgress: "Progressing", verdict.Failed: "Degraded", verdict.Degraded: "Degraded",
	verdict.Suspended: "Suspended", verdict.Terminating: "Progressing", verdict.Unknown: "Unknown", verdict.NotFound: "Missing",
}

// TestHealth has Argo CD run the scripts as those of a user: without the standard libraries, for at most a second.
func TestHealth(t *testing.T) {
	exporttest.Prove(t, exporttest.Consumer{
		Word:     func(s verdict.Status) string { return words[s] },
		Messages: true,
		List:     "docs/exports/argocd-differences.tsv",
		For: func(_ testing.TB, s *export.Subject) ([]export.Difference, func(map[string]any) (exporttest.Answer, error)) {
			script, differences := argocd.Script(s)
			key := s.For.Group + "/" + s.For.Kind
			vm := lua.VM{ResourceOverrides: map[string]v1alpha1.ResourceOverride{key: {HealthLua: script}}}
			return differences, func(object map[string]any) (exporttest.Answer, error) {
				o := &unstructured.Unstructured{Object: object}
				found, libraries, err := vm.GetHealthScript(o)
				if err != nil || libraries || found != script {
					t.Fatalf("%s: Argo CD does not find the script: %v", s.Name(), err)
				}
				h, err := vm.ExecuteHealthLua(o, found)
				for tries := 0; err != nil && tries < 100 && strings.Contains(err.Error(), context.DeadlineExceeded.Error()); tries++ {
					h, err = vm.ExecuteHealthLua(o, found) // its second is one of the clock, in which this machine may have done something else
				}
				if err != nil {
					return exporttest.Answer{}, err
				}
				return exporttest.Answer{Word: string(h.Status), Message: h.Message}, nil
			}
		},
	})
}
