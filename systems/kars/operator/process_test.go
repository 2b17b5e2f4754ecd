// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	"github.com/tristate/tristate/systems/kars/operator/internal/trustgraph"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// processes runs kars-operator as two processes with tokens of its account and exactly the generated permissions. The one that leads is
// killed; the other one takes over, and knows the last good list though the registry is lost.
func processes(t *testing.T, w *kars) {
	logs := map[string]string{}
	var first, second world.Log
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("first:\n%s\nsecond:\n%s", first.String(), second.String())
		}
	})
	one := w.process(t, &first)
	world.Eventually(t, func() error { _, err := world.Get(t.Context(), one.Health+"/readyz"); return err })

	ns := w.NewNamespace(t)
	good := w.publish(t, "lists", artifact.EgressAllowlist, list(t, 1, "a.example.com"))
	w.sign(t, good, false)
	models, tools, server := newInferencePolicy(ns, "models"), newToolPolicy(ns, "kars-default"),
		&api.McpServer{ObjectMeta: meta(ns, "wiki"), Spec: api.McpServerSpec{URL: "https://wiki.example.com",
			ProductionMode: true, OAuth: &api.McpOAuth{Issuer: w.issuer}}}
	w.keys.Store(keySet(t))
	sandbox := newSandbox(ns, "deputy")
	sandbox.Spec.Governance = &api.GovernanceSpec{McpServerRef: &api.NameRef{Name: "wiki"}}
	sandbox.Spec.NetworkPolicy = &api.NetworkSpec{AllowlistRef: &good}
	w.Create(t, tools)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
	for _, o := range []client.Object{models, server, sandbox} {
		w.Create(t, o)
	}
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "AllowlistVerified=True Verified")
	w.Seen.Reach(t, server, "Ready=True Reconciled")
	w.Seen.Reach(t, models, "Ready=True RouterEnforcing")
	w.event(t, sandbox, "McpSingularDeprecated", 1)
	w.event(t, tools, "PolicyNotEnforced", 1)
	one.Measured(t, `kars_controller_conditions_transitions_total{condition_type="Ready",new_status="True"}`,
		`kars_controller_reconcile_total{outcome="ok"}`,
		`kars_controller_duration_seconds_count{crd_kind="KarsSandbox"}`, `kars_controller_skip_cache_hits_total`,
		`leader_election_master_status{name="kars-operator"} 1`)

	// "failing edge IDs are surfaced in controller logs (the count is also surfaced in events)"
	a, b := keyOf(1), keyOf(2)
	edge := api.TrustEdge{From: "a", To: "b", Score: 700, IssuedAt: 1000}
	edge.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(a.private, trustgraph.Payload(edge)))
	forged, lost := edge, edge
	forged.Score, lost.To = 1000, "nowhere"
	graph := &api.TrustGraph{ObjectMeta: meta("", "mesh"), Spec: api.TrustGraphSpec{
		Vertices: []api.TrustVertex{{ID: "a", PublicKeyB64u: a.b64}, {ID: "b", PublicKeyB64u: b.b64}},
		Edges:    []api.TrustEdge{edge, forged, lost}}}
	w.Create(t, graph)
	w.Seen.Reach(t, graph, "Ready=True Reconciled")
	w.event(t, graph, "EdgesDropped", 1)
	for _, id := range []string{"edges[1] a->b", "edges[2] a->nowhere"} {
		world.Eventually(t, func() error {
			if !strings.Contains(first.String(), id) {
				return fmt.Errorf("the log does not name the failing edge %s", id)
			}
			return nil
		})
	}
	if strings.Contains(first.String(), "edges[0]") {
		t.Error("the log names an edge that is valid")
	}

	// The other one is healthy and waits.
	two := w.process(t, &second)
	world.Eventually(t, func() error { _, err := world.Get(t.Context(), two.Health+"/healthz"); return err })
	two.Measured(t, `leader_election_master_status{name="kars-operator"} 0`)
	before := w.Seen.Count(t)
	w.outage.Store(true)
	one.Kill()
	w.Expire(t, "kars-operator")
	w.profile(t, tools, "tools:\n  allow: [search, calendar]\n", sandbox)
	if c := w.Condition(t, sandbox, "AllowlistAuthoritative"); c == nil || c.Reason != "Verified" {
		t.Errorf("the registry is lost, and AllowlistAuthoritative is %v, want Verified as before", c)
	}
	w.outage.Store(false)
	tampered := w.publish(t, "lists", artifact.EgressAllowlist, list(t, 2, "b.example.com"))
	w.sign(t, tampered, true)
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.NetworkPolicy.AllowlistRef = &tampered })
	w.Seen.Reach(t, sandbox, "AllowlistVerified=False Unsigned", "AllowlistAuthoritative=False StaleLKG")
	two.Measured(t, `leader_election_master_status{name="kars-operator"} 1`)
	w.event(t, sandbox, "McpSingularDeprecated", 2) // for the edited spec
	after := w.Seen.Count(t)
	for _, o := range []client.Object{models, server} {
		if key := world.Key(o); after[key] != before[key] {
			t.Errorf("%s was written by the process that took over, though nothing changed", key)
		}
	}
	if one.Ended() == two.Ended() {
		t.Errorf("the first process has ended: %v, the second: %v", one.Ended(), two.Ended())
	}
	two.Kill()
	w.Expire(t, "kars-operator")
	logs["the log of the first process"], logs["the log of the second process"] = first.String(), second.String()
	for _, leak := range w.Leaks(t, logs) {
		t.Error(leak)
	}
	for name, log := range logs {
		if strings.Contains(log, "forbidden") || !strings.Contains(log, "leader") {
			t.Errorf("%s:\n%s", name, log)
		}
	}
}

// process starts kars-operator.
func (w *kars) process(t *testing.T, log *world.Log) *world.Process {
	t.Helper()
	authority := filepath.Join(t.TempDir(), "issuer.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.authority}), 0o600); err != nil {
		t.Fatal(err)
	}
	return w.Run(t, "kars-operator", log, []string{"HTTP_PROXY=" + w.Kubelet.Proxy(), "NO_PROXY="},
		"--inference-endpoint=http://models.invalid", "--memory-endpoint="+w.options.MemoryEndpoint, "--runtime-image=OpenClaw=openclaw",
		"--plain-registries", "--allow-address=127.0.0.0/8",
		"--router-poll=200ms", "--push-address="+w.options.PushAddress, "--push-url="+w.options.PushURL, "--oidc-ca-file="+authority)
}

// event waits until an object has a number of events of a reason, and is an error where there are more.
func (w *kars) event(t *testing.T, o client.Object, reason string, want int) {
	t.Helper()
	world.Eventually(t, func() error {
		var events eventsv1.EventList
		if err := w.API.List(t.Context(), &events, client.InNamespace(o.GetNamespace())); err != nil {
			return err
		}
		have, all := 0, []string{}
		for _, e := range events.Items {
			all = append(all, fmt.Sprintf("%s %s %s/%s: %s", e.Type, e.Reason, e.Regarding.Kind, e.Regarding.Name, e.Note))
			if e.Regarding.Name == o.GetName() && e.Reason == reason {
				if have++; e.Series != nil {
					have += int(e.Series.Count) - 1
				}
				if e.Type != "Warning" || e.ReportingController != "kars-operator" {
					t.Errorf("event %s is a %s of %s", reason, e.Type, e.ReportingController)
				}
			}
		}
		if have != want {
			return fmt.Errorf("%d events %s of %s, want %d, among\n%s", have, reason, o.GetName(), want, strings.Join(all, "\n"))
		}
		return nil
	})
}
