// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/world"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/webhook"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// process starts vworkspace-operator with a webhook.
func (w *vworkspace) process(t *testing.T, log *world.Log) (p *world.Process, hooks string) {
	t.Helper()
	hooks = world.Free(t)
	return w.Run(t, "vworkspace-operator", log, nil, "--cluster-id="+clusterID, "--webhook-address="+hooks, "--webhook-host=127.0.0.1"), hooks
}

// events waits until an object has exactly one event for each change of a condition's status, by its reason and type, and returns their
// texts.
func (w *vworkspace) events(t *testing.T, o kit.Object) (texts string) {
	t.Helper()
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		var list eventsv1.EventList
		if err := w.API.List(t.Context(), &list); err != nil {
			return err
		}
		var want, have []string
		last := map[string]metav1.ConditionStatus{}
		for _, tr := range o.GetTransitions() {
			if tr.Reason != "" && tr.Status != last[tr.Type] { // another reason of the same status is a transition of the protocol, and no event
				want = append(want, tr.Reason+" "+tr.Type)
			}
			last[tr.Type] = tr.Status
		}
		texts = ""
		for _, e := range list.Items {
			if e.Regarding.UID != o.GetUID() {
				continue
			}
			for range 1 + count(e.Series) {
				have = append(have, e.Reason+" "+e.Action)
			}
			texts += fmt.Sprintf("%s %s %s %s\n", e.Type, e.Reason, e.Note, e.Annotations)
			if e.ReportingController != "vworkspace-operator" {
				return fmt.Errorf("an event is reported by %s", e.ReportingController)
			}
		}
		slices.Sort(want)
		slices.Sort(have)
		if diff := cmp.Diff(want, have); diff != "" {
			return fmt.Errorf("events of %s: -want +got\n%s", o.GetName(), diff)
		}
		return nil
	})
	return texts
}

// count returns how often an event was repeated.
func count(series *eventsv1.EventSeries) int {
	if series == nil {
		return 0
	}
	return int(series.Count) - 1
}

// processes runs vworkspace-operator as two processes with tokens of its account and exactly the generated permissions: events, metrics,
// finalizers, health, and the webhook of both. The one that leads is killed; the other one takes over and repeats nothing.
func processes(t *testing.T, w *vworkspace) {
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	var first, second world.Log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("first:\n%s\nsecond:\n%s", first.String(), second.String())
		}
	})
	configuration := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhook.Name}}
	w.Create(t, configuration)
	one, address := w.process(t, &first)
	world.Eventually(t, func() error { _, err := world.Get(t.Context(), one.Health+"/readyz"); return err })
	two, spare := w.process(t, &second)
	world.Edit(t, w.World, configuration, func(c *admissionv1.ValidatingWebhookConfiguration) { c.Webhooks = webhooks(t, address, spare) })
	w.authorities(t, map[string]bool{}, 2)
	world.Eventually(t, func() error {
		_, ready := world.Get(t.Context(), two.Health+"/readyz")
		_, healthy := world.Get(t.Context(), two.Health+"/healthz")
		return errors.Join(ready, healthy)
	})

	// Events: one for each transition, and nothing else.
	c := w.cluster()
	w.Seen.Skip(t, c) // the states of one of the same name
	w.Create(t, c)
	ns := w.namespace(t)
	shop := instance(ns, "shop")
	shop.Finalizers = []string{"example.dev/another"}
	w.released(t, shop)
	notes := w.events(t, shop)
	command := w.operation(ns, "command", "shop")
	command.Spec.Approvals.Required = true
	w.Create(t, command)
	w.Seen.Reach(t, command, "Blocked=True AwaitingApproval")
	approval := w.approve(t, command, time.Hour)
	world.Edit(t, w.World, command, func(o *opsapi.Operation) { o.Spec.Approvals.Claim = approval })
	w.Seen.Reach(t, command, "Succeeded=True EngineCompleted")
	notes += w.events(t, command)
	for _, want := range []string{"Normal HelmReleaseReady ", "Warning AwaitingApproval ", "Normal EngineCompleted "} {
		if !strings.Contains(notes, want) {
			t.Errorf("no event %q, among\n%s", want, notes)
		}
	}
	w.Seen.Reach(t, c, "Connected=True RoundTripOK")

	// Finalizers: each kind has its own, and those of others stay.
	for o, want := range map[client.Object][]string{shop: {"example.dev/another", "apps.vworkspace.io/finalizer"},
		command: {"ops.vworkspace.io/finalizer"}} {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil || !cmp.Equal(want, o.GetFinalizers()) {
			t.Errorf("%s has finalizers %v, want %v: %v", o.GetName(), o.GetFinalizers(), want, err)
		}
	}

	one.Measured(t, `vworkspace_controller_conditions_transitions_total{condition_type="Ready",new_status="True"}`,
		`vworkspace_controller_reconcile_total{outcome="ok"}`,
		`vworkspace_controller_duration_seconds_count{crd_kind="ApplicationInstance"}`,
		`vworkspace_controller_duration_seconds_count{crd_kind="Operation"}`,
		`vworkspace_controller_duration_seconds_count{crd_kind="Cluster"}`, `vworkspace_controller_skip_cache_hits_total`,
		`leader_election_master_status{name="vworkspace-operator"} 1`,
		`vworkspace_operator_attempts_total{call="events"}`, `vworkspace_operator_attempts_total{call="heartbeat"}`,
		`vworkspace_operator_connectivity_state 1`, `vworkspace_operator_credential_issued_timestamp_seconds`)
	two.Measured(t, `leader_election_master_status{name="vworkspace-operator"} 0`)
	asks := w.operation(ns, "forged", "shop")
	asks.Spec.Approvals = opsapi.Approvals{Required: true, Claim: w.sign(t, ada, unrelated(ns, "another"), time.Hour)}
	if err := w.denied(t.Context(), asks, asks.Spec.Approvals.Claim, claim.ErrOther); err != nil {
		t.Error(err)
	}
	for _, p := range []*world.Process{one, two} { // the API server asks both
		p.Measured(t, `controller_runtime_webhook_requests_total{code="200",webhook="/validate-claims"}`)
	}

	before := w.Seen.Count(t)
	one.Kill()
	w.Expire(t, "vworkspace-operator")
	if err := w.denied(t.Context(), asks, asks.Spec.Approvals.Claim, claim.ErrOther); err != nil {
		t.Errorf("after one of two replicas is lost: %v", err)
	}
	later := w.operation(ns, "later", "shop")
	w.Create(t, later)
	w.Seen.Reach(t, later, "Succeeded=True EngineCompleted")
	two.Measured(t, `leader_election_master_status{name="vworkspace-operator"} 1`)
	after := w.Seen.Count(t)
	for _, o := range []client.Object{shop, command} {
		if key := world.Key(o); after[key] != before[key] {
			t.Errorf("%s was written by the process that took over, though nothing changed", key)
		}
	}
	w.Remove(t, command)
	w.Gone(t, command)
	if one.Ended() == two.Ended() {
		t.Errorf("the first process has ended: %v, the second: %v", one.Ended(), two.Ended())
	}
	two.Kill()
	w.Expire(t, "vworkspace-operator")
	w.Remove(t, configuration)
	for name, log := range map[string]string{"first": first.String(), "second": second.String(), "events": notes} {
		if name != "events" && (strings.Contains(log, "forbidden") || !strings.Contains(log, "leader")) {
			t.Errorf("the log of the %s process:\n%s", name, log)
		}
		for what, secret := range map[string]string{"a claim": approval, "the refused claim": asks.Spec.Approvals.Claim,
			"the bootstrap token": bootstrap} {
			if strings.Contains(log, secret) || strings.Contains(log, secret[len(secret)-16:]) {
				t.Errorf("%s: it has %s:\n%s", name, what, log)
			}
		}
	}
}
