// SPDX-License-Identifier: Apache-2.0

package systems_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
)

// TestTypicallyTransient: "typically transient, e.g., the target was deleted between admission and reconcile". An Operation whose target
// does not exist yet has not failed, so that a wait for it goes on.
func TestTypicallyTransient(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, "vworkspace/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	condition := func(name, status, reason string) any {
		return map[string]any{"type": name, "status": status, "reason": reason, "message": "the target ApplicationInstance shop does not exist",
			"observedGeneration": int64(1), "lastTransitionTime": "2026-01-02T03:04:05Z"}
	}
	operation := map[string]any{"apiVersion": "ops.vworkspace.io/v1alpha1", "kind": "Operation",
		"metadata": map[string]any{"name": "early", "namespace": "team", "generation": int64(1)},
		"status": map[string]any{"observedGeneration": int64(1), "phase": "Pending", "conditions": []any{
			condition("Accepted", "False", "ValidationFailed"), condition("Running", "False", "EngineNotStarted"),
			condition("Succeeded", "False", "NotYetSucceeded")}}}
	v := pack.Engine(set).Judge(operation, time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC))
	if v.Status != verdict.InProgress {
		t.Errorf("it is %s (%s), want %s", v.Status, v.Reason, verdict.InProgress)
	}
}
