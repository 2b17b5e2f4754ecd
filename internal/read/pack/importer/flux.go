// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kustomization reads the health check expressions of a Flux Kustomization.
func (r *reader) kustomization(document map[string]any) {
	apiVersion, _ := document["apiVersion"].(string)
	if document["kind"] != "Kustomization" || !strings.HasPrefix(apiVersion, "kustomize.toolkit.fluxcd.io/") {
		return
	}
	spec, _ := document["spec"].(map[string]any)
	var checks []struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		InProgress string `json:"inProgress"`
		Failed     string `json:"failed"`
		Current    string `json:"current"`
	}
	if !r.into("spec.healthCheckExprs", spec["healthCheckExprs"], &checks) {
		return
	}
	for i, c := range checks {
		path := fmt.Sprintf("spec.healthCheckExprs[%d]", i)
		kind := catalog.For{Group: schema.FromAPIVersionAndKind(c.APIVersion, c.Kind).Group, Kind: c.Kind}
		if kind.Kind == "" {
			kind.Kind = catalog.AnyKind
		}
		if kind.Kind == catalog.AnyKind && kind.Group == "" {
			r.fail(path, "has neither a group nor a kind")
			continue
		}
		var verdicts []catalog.Verdict
		ok := true
		for _, rule := range []struct{ field, source, verdict string }{
			{"inProgress", c.InProgress, "InProgress"}, {"failed", c.Failed, "Failed"}, {"current", c.Current, "Current"},
		} {
			if rule.source == "" {
				continue
			}
			when, err := expr.Qualify(rule.source, "self")
			if err != nil {
				r.fail(path+"."+rule.field, "%v", err)
				ok = false
				continue
			}
			verdicts = append(verdicts, catalog.Verdict{When: when, Verdict: rule.verdict})
		}
		if ok && c.Current == "" {
			r.fail(path+".current", "is missing: an object of the kind could never be Current")
			ok = false
		}
		if ok {
			r.add(path, kind, verdicts)
		}
	}
}
