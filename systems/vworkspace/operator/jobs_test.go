// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hand queues a job at the control plane and waits for its result.
func (w *vworkspace) hand(t *testing.T, kind string, payload map[string]any, outcome, message string) {
	t.Helper()
	data, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	id := w.plane.Hand(clusterID, controlplane.Job{Kind: kind, Payload: data})
	world.Eventually(t, func() error {
		r := w.plane.ResultOf(id)
		if r == nil {
			return fmt.Errorf("%s has no result", id)
		}
		if r.Outcome != outcome || !strings.Contains(r.Message, message) || message == "" && r.Message != "" {
			t.Fatalf("%s %s: %s %q, want %s %q", kind, payload["intent"], r.Outcome, r.Message, outcome, message)
		}
		if text, _ := payload["claim"].(string); text != "" && strings.Contains(r.Message, text) {
			t.Fatalf("the result has the claim: %s", r.Message)
		}
		return nil
	})
}

// handed tests jobs of the control plane: it installs an application, approves and cancels operations, and removes all of it.
func handed(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	shop, command := instance(ns, "shop"), w.operation(ns, "command", "shop")
	about := func(o client.Object, more map[string]any) map[string]any {
		out := map[string]any{"apiVersion": "apps.vworkspace.io/v1alpha1", "kind": "ApplicationInstance", "namespace": ns, "name": o.GetName()}
		if o == client.Object(command) {
			out["apiVersion"], out["kind"] = "ops.vworkspace.io/v1alpha1", "Operation"
		}
		maps.Copy(out, more)
		return out
	}
	manifest := func(version string) map[string]any {
		return map[string]any{"apiVersion": "apps.vworkspace.io/v1alpha1", "kind": "ApplicationInstance",
			"metadata": map[string]any{"namespace": ns, "name": "shop"},
			"spec": map[string]any{"appRef": map[string]any{"catalogId": "odoo"}, "release": map[string]any{"name": "shop"},
				"chart": map[string]any{"sourceType": "oci", "url": "oci://registry.example.com/charts", "name": "odoo", "version": version}}}
	}
	w.hand(t, agent.JobApply, manifest("1.0.0"), agent.OutcomeSucceeded, "")
	w.Seen.Reach(t, shop, "Reconciling=True ChartSourceSyncing")
	w.hand(t, agent.JobIntent, about(shop, map[string]any{"intent": "suspend"}), agent.OutcomeSucceeded, "")
	w.Seen.Reach(t, shop, "Suspended=True ManuallySuspended")
	w.hand(t, agent.JobIntent, about(shop, map[string]any{"intent": "resume"}), agent.OutcomeSucceeded, "")
	w.Seen.Reach(t, shop, "Suspended=False Active")

	w.hand(t, agent.JobApply, map[string]any{"apiVersion": "ops.vworkspace.io/v1alpha1", "kind": "Operation",
		"metadata": map[string]any{"namespace": ns, "name": "command"},
		"spec": map[string]any{"targetRef": map[string]any{"apiVersion": "apps.vworkspace.io/v1alpha1", "kind": "ApplicationInstance",
			"name": "shop"}, "type": "RunCommand", "engine": "job",
			"parameters": map[string]any{"job": map[string]any{"image": "busybox"}}, "approvals": map[string]any{"required": true}}},
		agent.OutcomeSucceeded, "")
	w.Seen.Reach(t, command, "Blocked=True AwaitingApproval")
	what := w.subject(t, command)
	forged := w.sign(t, eve, what, time.Hour)
	// by the webhook
	w.hand(t, agent.JobIntent, about(command, map[string]any{"intent": "approve", "claim": forged}), agent.OutcomeFailed,
		claim.ErrSignature.Error())
	w.hand(t, agent.JobIntent, about(command, map[string]any{"intent": "approve", "claim": w.sign(t, ada, what, time.Hour)}),
		agent.OutcomeSucceeded, "")
	w.Seen.Reach(t, command, "Succeeded=True EngineCompleted")

	// Somebody has taken over a field: it stays theirs.
	stored := &appsapi.ApplicationInstance{ObjectMeta: shop.ObjectMeta}
	world.Edit(t, w.World, stored, func(o *appsapi.ApplicationInstance) { o.Spec.Chart.Version = "1.2.0" })
	w.hand(t, agent.JobApply, manifest("1.1.0"), agent.OutcomeConflict, ".spec.chart.version")

	w.hand(t, agent.JobDelete, about(command, nil), agent.OutcomeSucceeded, "")
	w.Gone(t, &opsapi.Operation{ObjectMeta: command.ObjectMeta})
	w.hand(t, agent.JobDelete, about(command, nil), agent.OutcomeNoop, "does not exist")
	w.hand(t, agent.JobDelete, about(shop, nil), agent.OutcomeSucceeded, "")
	w.Gone(t, stored)
}
