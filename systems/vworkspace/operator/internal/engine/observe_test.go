// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestRelease: an upgrade runs once "the engine reports work in progress", which is Ready=Unknown of the version that it asked for, and not
// while its controller has not looked at that, as where the application is suspended. It ends by the result of that version: the status of
// the one before is still there when it starts.
func TestRelease(t *testing.T) {
	tests := map[string]struct {
		rendered, released, attempted string // versions
		observed                      int64
		status, reason                string // of Ready
		want                          Phase
	}{
		"the version before is ready":         {"1.0.0", "1.0.0", "1.0.0", 2, "True", "InstallSucceeded", Waiting},
		"rendered, and not observed":          {"1.1.0", "1.0.0", "1.0.0", 1, "True", "InstallSucceeded", Waiting},
		"observed, and not released":          {"1.1.0", "1.0.0", "1.0.0", 2, "True", "InstallSucceeded", Waiting},
		"Helm works on the version before":    {"1.0.0", "1.0.0", "1.0.0", 2, "Unknown", "Progressing", Waiting},
		"Helm works on the spec before":       {"1.1.0", "1.0.0", "1.0.0", 1, "Unknown", "Progressing", Waiting},
		"Helm works":                          {"1.1.0", "1.0.0", "1.1.0", 2, "Unknown", "Progressing", Running},
		"released":                            {"1.1.0", "1.1.0", "1.1.0", 2, "True", "UpgradeSucceeded", Succeeded},
		"released, with the digest of Flux":   {"1.1.0", "1.1.0+0123456789ab", "1.1.0", 2, "True", "UpgradeSucceeded", Succeeded},
		"the version before had failed":       {"1.1.0", "1.0.0", "1.0.0", 2, "False", "UpgradeFailed", Waiting},
		"it failed":                           {"1.1.0", "1.0.0", "1.1.0", 2, "False", "UpgradeFailed", Failed},
		"it failed, and was rolled back":      {"1.1.0", "1.0.0", "1.1.0", 2, "False", "RollbackSucceeded", Failed},
		"an install failed and left nothing":  {"1.1.0", "", "1.1.0", 2, "False", "InstallFailed", Failed},
		"the artifact cannot be fetched":      {"1.1.0", "1.0.0", "1.1.0", 2, "False", "ArtifactFailed", Waiting},
		"it failed without another attempt":   {"1.1.0", "1.1.0", "", 2, "False", "TestFailed", Failed},
		"a dependency of it is not ready yet": {"1.1.0", "1.0.0", "1.1.0", 2, "False", "DependencyNotReady", Waiting},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"kind": "HelmRelease",
				"metadata": map[string]any{"name": "shop", "generation": int64(2), "annotations": map[string]any{kit.AnnotationVersion: test.rendered}},
				"status": map[string]any{"observedGeneration": test.observed, "lastAttemptedRevision": test.attempted,
					"history": []any{map[string]any{"chartVersion": test.released}},
					"conditions": []any{map[string]any{"type": "Ready", "status": test.status, "reason": test.reason, "message": "as Flux writes it",
						"observedGeneration": test.observed}}}}}
			o := &api.Operation{Spec: api.OperationSpec{Engine: Helm, Type: Upgrade,
				Parameters: api.Parameters{Helm: &api.HelmParameters{TargetVersion: "1.1.0"}}}}
			s := Observe(o, u)
			message := ""
			if test.want == Failed {
				message = test.reason + ": as Flux writes it"
			}
			if diff := cmp.Diff(State{Phase: test.want, Message: message}, State{Phase: s.Phase, Message: s.Message}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
