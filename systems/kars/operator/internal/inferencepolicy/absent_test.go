// SPDX-License-Identifier: Apache-2.0

package inferencepolicy

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAbsent: "A referenced sibling CR is absent": the policy is not compiled again, and its status keeps the last profile.
func TestAbsent(t *testing.T) {
	compiled := &metav1.Time{Time: time.Unix(1, 0)}
	o := &api.InferencePolicy{Status: api.InferencePolicyStatus{VersionHash: "last", LastCompiledAt: compiled}}
	f := Facts{Publication: kit.Publication{Absent: []string{"KarsSandbox nowhere"}, Loads: true}, Profile: "{}"}
	if f.Written() {
		t.Error("a policy is published whose sandbox does not exist")
	}
	status := conclude(o, f, conditions.Result{}, time.Unix(2, 0)).Status.(*api.InferencePolicyStatus)
	if status.VersionHash != "last" || status.ProfileConfigMapRef == nil || !compiled.Equal(status.LastCompiledAt) {
		t.Errorf("the status of a policy that was not compiled: %+v", status)
	}
}
