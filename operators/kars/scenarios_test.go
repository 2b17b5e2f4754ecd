// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/a2aagent"
	"github.com/tristate/tristate/operators/kars/internal/inferencepolicy"
	"github.com/tristate/tristate/operators/kars/internal/mcpserver"
	"github.com/tristate/tristate/operators/kars/internal/toolpolicy"
	"github.com/tristate/tristate/operators/kars/internal/trustgraph"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// scenarios reach rows by kind. Each has objects and namespaces of its own, so that they can run side by side.
var scenarios = map[string]func(*testing.T, *world){
	"TrustGraph":           trustGraphs,
	"A2AAgent":             agents,
	"McpServer":            mcpServers,
	"ToolPolicy":           toolPolicies,
	"InferencePolicy":      inferencePolicies,
	"policies and routers": enforcement,
	"sandbox references":   references,
	"sandbox workload":     workloads,
	"allowlist":            allowlists,
	"EgressApproval":       approvals,
	"KarsEval":             evals,
}

// key is a pair that signs as an agent.
type key struct {
	public, b64 string
	private     ed25519.PrivateKey
}

// keyOf makes a pair from a seed, so that tests repeat.
func keyOf(seed byte) key {
	private := ed25519.NewKeyFromSeed([]byte{31: seed})
	public := private.Public().(ed25519.PublicKey)
	return key{string(public), base64.RawURLEncoding.EncodeToString(public), private}
}

func trustGraphs(t *testing.T, w *world) {
	a, b := keyOf(1), keyOf(2)
	edge := api.TrustEdge{From: "a", To: "b", Score: 700, IssuedAt: 1000}
	edge.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(a.private, trustgraph.Payload(edge)))
	forged := edge
	forged.Score = 1000
	graph := &api.TrustGraph{ObjectMeta: metav1.ObjectMeta{Name: "mesh"}, Spec: api.TrustGraphSpec{
		Vertices: []api.TrustVertex{{ID: "a", PublicKeyB64u: a.b64}, {ID: "b", PublicKeyB64u: b.b64}}, Edges: []api.TrustEdge{edge, forged}}}
	w.create(t, graph)
	w.seen.reach(t, graph, "Progressing=True Reconciling")
	w.seen.reach(t, graph, "Ready=True Reconciled")
	if w.condition(t, graph, "Ready"); graph.Status.ValidEdges != 1 || graph.Status.InvalidEdges != 1 {
		t.Errorf("edges: %d valid, %d invalid", graph.Status.ValidEdges, graph.Status.InvalidEdges)
	}

	edit(t, w, graph, func(g *api.TrustGraph) { g.Spec.Vertices = []api.TrustVertex{{ID: "a", PublicKeyB64u: "AAAA"}} })
	w.seen.reach(t, graph, "Degraded=True SpecInvalid", "Ready=False SpecInvalid")
	edit(t, w, graph, func(g *api.TrustGraph) { g.Spec.Vertices = []api.TrustVertex{{ID: "a", PublicKeyB64u: a.b64}} })
	w.seen.reach(t, graph, "Ready=True Reconciled")

	free := w.occupy(t, system, "trustgraph-blocked-projection")
	blocked := &api.TrustGraph{ObjectMeta: metav1.ObjectMeta{Name: "blocked"}, Spec: graph.Spec}
	w.create(t, blocked)
	w.seen.reach(t, blocked, "Degraded=True Failed", "Ready=False Failed")
	free()
	w.seen.reach(t, blocked, "Ready=True Reconciled", "Degraded=False Reconciled")
}

func agents(t *testing.T, w *world) {
	ns := w.namespace(t)
	agent := func(name string) *api.A2AAgent {
		return &api.A2AAgent{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.A2AAgentSpec{EndpointURL: "https://agent.example.com",
			SigningKeys: []api.SigningKey{{Kid: "k1", PublicKeyB64u: keyOf(1).b64}}}}
	}
	one := agent("one")
	w.create(t, one)
	w.seen.reach(t, one, "Progressing=True Reconciling")
	w.seen.reach(t, one, "Progressing=True Creating", "Ready=False Creating")
	w.seen.reach(t, one, "Ready=True Reconciled")
	edit(t, w, one, func(a *api.A2AAgent) { a.Spec.SigningKeys = append(a.Spec.SigningKeys, a.Spec.SigningKeys[0]) })
	w.seen.reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid", "Progressing=False Failed")
	edit(t, w, one, func(a *api.A2AAgent) { a.Spec.SigningKeys = a.Spec.SigningKeys[:1] })
	w.seen.reach(t, one, "Ready=True Reconciled")

	free := w.occupy(t, ns, a2aagent.CardName("two"))
	two := agent("two")
	w.create(t, two)
	w.seen.reach(t, two, "Ready=False Failed", "Degraded=True Failed")
	free()
	w.seen.reach(t, two, "Ready=True Reconciled")
}

func mcpServers(t *testing.T, w *world) {
	ns := w.namespace(t)
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: keyOf(3).private, KeyID: "one", Algorithm: "EdDSA", Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := func(name string) *api.McpServer {
		return &api.McpServer{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.McpServerSpec{URL: "https://mcp.example.com", ProductionMode: true,
			OAuth: &api.McpOAuth{Issuer: w.issuer}}}
	}
	w.keys.Store(`{"keys":"none"}`)
	one := server("one")
	w.create(t, one)
	w.seen.reach(t, one, "Progressing=True Reconciling")
	w.seen.reach(t, one, "Ready=False DependencyMissing", "Degraded=True DependencyMissing")
	w.keys.Store(string(set))
	w.wake(t)
	w.seen.reach(t, one, "Ready=True Reconciled")
	edit(t, w, one, func(s *api.McpServer) { s.Spec.OAuth.PKCE = "plain" })
	w.seen.reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	edit(t, w, one, func(s *api.McpServer) { s.Spec.OAuth.PKCE = "S256" })
	w.seen.reach(t, one, "Ready=True Reconciled")

	free := w.occupy(t, ns, mcpserver.MetadataName("two"))
	two := server("two")
	w.create(t, two)
	w.seen.reach(t, two, "Ready=False Failed", "Degraded=True Failed")
	free()
	w.seen.reach(t, two, "Ready=True Reconciled")
}

func newToolPolicy(ns, name string) *api.ToolPolicy {
	return &api.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.ToolPolicySpec{
		AppliesTo: api.ToolTarget{SandboxMatchLabels: map[string]string{"team": "red"}}, AgtProfile: &api.AgtProfile{Inline: "tools:\n  allow: [search]\n"}}}
}

func newInferencePolicy(ns, name string) *api.InferencePolicy {
	return &api.InferencePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.InferencePolicySpec{
		TokenBudget:     &api.TokenBudget{PerRequestTokens: 4000},
		ModelPreference: &api.ModelPreference{Primary: api.ModelRef{Provider: "azure", Deployment: "large"}}}}
}

func toolPolicies(t *testing.T, w *world) {
	ns := w.namespace(t)
	one := newToolPolicy(ns, "one")
	w.create(t, one)
	w.seen.reach(t, one, "Progressing=True Reconciling")
	w.seen.reach(t, one, "Ready=False NoSandboxesReferencing", "Progressing=True NoSandboxesReferencing")
	edit(t, w, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline = "- a list" })
	w.seen.reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	edit(t, w, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile = nil })
	w.seen.reach(t, one, "Ready=True Reconciled", "Progressing=False Reconciled")
	edit(t, w, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile = newToolPolicy(ns, "").Spec.AgtProfile })
	w.seen.reach(t, one, "Ready=False NoSandboxesReferencing")

	free := w.occupy(t, ns, toolpolicy.ProfileName("two"))
	two := newToolPolicy(ns, "two")
	w.create(t, two)
	w.seen.reach(t, two, "Degraded=True Failed", "Ready=False Failed")
	free()
	w.seen.reach(t, two, "Degraded=False Reconciled")
}

func inferencePolicies(t *testing.T, w *world) {
	ns := w.namespace(t)
	one := newInferencePolicy(ns, "one")
	w.create(t, one)
	w.seen.reach(t, one, "Progressing=True Reconciling")
	w.seen.reach(t, one, "Ready=False NoSandboxesReferencing", "Progressing=True NoSandboxesReferencing")
	edit(t, w, one, func(p *api.InferencePolicy) { p.Spec.TokenBudget.MonthlyTokens = 10 })
	w.seen.reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	edit(t, w, one, func(p *api.InferencePolicy) { p.Spec = api.InferencePolicySpec{} })
	w.seen.reach(t, one, "Ready=True Reconciled", "Progressing=False Reconciled")
	edit(t, w, one, func(p *api.InferencePolicy) { p.Spec = newInferencePolicy(ns, "").Spec })
	w.seen.reach(t, one, "Ready=False NoSandboxesReferencing")

	free := w.occupy(t, ns, inferencepolicy.ProfileName("two"))
	two := newInferencePolicy(ns, "two")
	w.create(t, two)
	w.seen.reach(t, two, "Degraded=True Failed", "Ready=False Failed")
	free()
	w.seen.reach(t, two, "Degraded=False Reconciled")
}

// newSandbox is a sandbox that needs an InferencePolicy "models" and nothing else.
func newSandbox(ns, name string) *api.KarsSandbox {
	return &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.KarsSandboxSpec{
		Runtime: api.RuntimeSpec{Kind: "OpenClaw"}, InferenceRef: api.NameRef{Name: "models"}, Governance: &api.GovernanceSpec{Enabled: ptr.To(false)}}}
}

// enforcement is the story of a sandbox with all its policies: its router confirms them, a profile is edited, a store refuses.
func enforcement(t *testing.T, w *world) {
	ns := w.namespace(t)
	tools, models := newToolPolicy(ns, "tools"), newInferencePolicy(ns, "models")
	memory := &api.KarsMemory{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "notes"}, Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}}
	w.create(t, memory)
	w.seen.reach(t, memory, "Progressing=True Reconciling")
	w.seen.reach(t, memory, "Ready=False NoSandboxesReferencing")
	edit(t, w, memory, func(m *api.KarsMemory) { m.Spec.Scope = "red:blue" })
	w.seen.reach(t, memory, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	edit(t, w, memory, func(m *api.KarsMemory) { m.Spec.StoreName, m.Spec.Scope = "", "" })
	w.seen.reach(t, memory, "Ready=True Reconciled")
	edit(t, w, memory, func(m *api.KarsMemory) { m.Spec.StoreName, m.Spec.Scope = "notes", "red" })
	w.seen.reach(t, memory, "Ready=False NoSandboxesReferencing")

	w.create(t, tools)
	w.create(t, models)
	w.seen.reach(t, tools, "Ready=False NoSandboxesReferencing")
	w.seen.reach(t, models, "Ready=False NoSandboxesReferencing")
	sandbox := newSandbox(ns, "enforced")
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}, McpServerRef: &api.NameRef{Name: "wiki"}}
	sandbox.Spec.MemoryRef = &api.NameRef{Name: "notes"}
	w.create(t, sandbox)
	w.seen.reach(t, sandbox, "Progressing=True Reconciling")
	w.seen.reach(t, sandbox, "Progressing=True Creating", "Ready=False Creating")
	w.seen.reach(t, sandbox, "Ready=False Created")
	w.seen.reach(t, tools, "Progressing=True AwaitingRouterEnforcement", "Ready=False AwaitingRouterEnforcement")
	w.seen.reach(t, models, "Progressing=True AwaitingRouterEnforcement")
	w.seen.reach(t, memory, "Progressing=True AwaitingRouterEnforcement")
	w.seen.reach(t, tools, "Ready=True RouterEnforcing")
	w.seen.reach(t, models, "Ready=True RouterEnforcing")
	w.seen.reach(t, memory, "Ready=False AwaitingFoundryProvisioning", "Degraded=False Reconciled")
	w.seen.reach(t, sandbox, "Ready=False AwaitingFoundryProvisioning")
	w.remember(t, "enforced", http.StatusOK)
	w.seen.reach(t, memory, "Ready=True RouterEnforcing")
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing", "Degraded=False Reconciled")

	// Ready falls at once with an edit, and returns with the echo.
	edit(t, w, tools, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline = "tools:\n  allow: [search, calendar]\n" })
	w.seen.reach(t, tools, "Ready=False AwaitingRouterEnforcement")
	w.seen.reach(t, tools, "Ready=True RouterEnforcing")
	w.seen.reach(t, sandbox, "Ready=False AwaitingRouterEnforcement", "Progressing=True AwaitingRouterEnforcement")
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing")

	w.remember(t, "enforced", http.StatusForbidden)
	w.seen.reach(t, memory, "Degraded=True AuthMisconfigured", "Ready=False AuthMisconfigured")
	w.seen.reach(t, sandbox, "Degraded=True AuthMisconfigured", "Ready=True RouterEnforcing")
	w.remember(t, "enforced", http.StatusNotFound)
	w.seen.reach(t, memory, "Degraded=True MemoryStoreMissing", "Ready=False MemoryStoreMissing")
	w.seen.reach(t, sandbox, "Degraded=True MemoryStoreMissing")
	w.remember(t, "enforced", http.StatusOK)
	w.seen.reach(t, memory, "Ready=True RouterEnforcing", "Degraded=False Reconciled")
	w.seen.reach(t, sandbox, "Degraded=False Reconciled")

	edit(t, w, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.seen.reach(t, sandbox, "Ready=False SuspendedBySpec", "Suspended=True SuspendedBySpec")
	w.seen.reach(t, tools, "Ready=False AwaitingRouterEnforcement")
	edit(t, w, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = false })
	w.seen.reach(t, sandbox, "Suspended=False Active")
	w.remember(t, "enforced", http.StatusOK)
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing", "Suspended=False Active")

	w.remove(t, sandbox)
	w.gone(t, sandbox)
	w.seen.reach(t, tools, "Ready=False NoSandboxesReferencing")
}

// references are the siblings of a sandbox that do not exist, and its spec.
func references(t *testing.T, w *world) {
	ns := w.namespace(t)
	sandbox := newSandbox(ns, "referring")
	sandbox.Spec.Governance = nil // governed by the default policy
	w.create(t, sandbox)
	w.seen.reach(t, sandbox, "Ready=False InferencePolicyNotFound", "Degraded=True InferencePolicyNotFound")
	models := newInferencePolicy(ns, "models")
	w.create(t, models)
	w.seen.reach(t, sandbox, "Ready=False ToolPolicyNotFound", "Degraded=True ToolPolicyNotFound")
	tools := newToolPolicy(ns, "kars-default")
	w.create(t, tools)
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing", "RuntimeReady=True Reconciled")
	edit(t, w, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime.Kind = "SemanticKernel" })
	w.seen.reach(t, sandbox, "Ready=False AdapterMissing", "RuntimeReady=False AdapterMissing", "Degraded=True AdapterMissing")
	edit(t, w, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime = api.RuntimeSpec{Kind: "BYO"} })
	w.seen.reach(t, sandbox, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	edit(t, w, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime = api.RuntimeSpec{Kind: "LangGraph"} })
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing", "RuntimeReady=True Reconciled")
	edit(t, w, sandbox, func(s *api.KarsSandbox) {
		s.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "theirs"}}
	})
	w.seen.reach(t, sandbox, "Ready=True OverlayMode", "Suspended=True OverlayMode", "RuntimeReady=False OverlayMode")
	edit(t, w, sandbox, func(s *api.KarsSandbox) { s.Spec.UpstreamCompatibility = nil })
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing")
	w.remove(t, sandbox)
	w.gone(t, sandbox)
}

// approvals are grants: their specs, their sandbox, their time.
func approvals(t *testing.T, w *world) {
	ns := w.namespace(t)
	approval := func(name string) *api.EgressApproval {
		return &api.EgressApproval{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.EgressApprovalSpec{Sandbox: "granted",
			Hosts: []api.Endpoint{{Host: name + ".example.com"}}, Reason: "an incident", TTL: "PT1H"}}
	}
	one := approval("one")
	w.create(t, one)
	w.seen.reach(t, one, "Degraded=True BlockedOnSandbox", "Ready=False BlockedOnSandbox", "Progressing=True BlockedOnSandbox")
	edit(t, w, one, func(a *api.EgressApproval) { a.Spec.TTL = "P1M" })
	w.seen.reach(t, one, "Degraded=True TtlInvalid", "Ready=False TtlInvalid")
	edit(t, w, one, func(a *api.EgressApproval) { a.Spec.TTL = "P2D" })
	w.seen.reach(t, one, "Degraded=True TtlExceedsCeiling", "Ready=False TtlExceedsCeiling")
	edit(t, w, one, func(a *api.EgressApproval) { a.Spec.TTL, a.Spec.Reason = "PT1H", "\x01" })
	w.seen.reach(t, one, "Degraded=True ReasonInvalid", "Ready=False ReasonInvalid")
	edit(t, w, one, func(a *api.EgressApproval) { a.Spec.Reason = "an incident" })
	w.seen.reach(t, one, "Degraded=True BlockedOnSandbox")

	w.create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "granted")
	w.create(t, sandbox)
	w.seen.reach(t, sandbox, "Ready=True RouterEnforcing")
	w.seen.reach(t, one, "Progressing=True AwaitingRouterEcho", "Ready=False AwaitingRouterEcho")
	w.seen.reach(t, one, "Ready=True RouterConfirmed", "Degraded=False RouterConfirmed")
	two := approval("two")
	w.create(t, two)
	w.seen.reach(t, two, "Ready=True RouterConfirmed")

	w.advance(t, 2*time.Hour)
	w.seen.reach(t, one, "Ready=False Expired", "Degraded=True Expired", "Progressing=False Expired")
	w.seen.reach(t, two, "Degraded=True Expired")
	edit(t, w, one, func(a *api.EgressApproval) { a.Spec.TTL = "P1D" })
	eventually(t, func() error { return settled(w, t, one) })
	if c := w.condition(t, one, "Ready"); c.Reason != "Expired" || one.Status.Phase != "Expired" {
		t.Errorf("an expired grant came back with a longer time: %s, phase %s", c.Reason, one.Status.Phase)
	}
	w.remove(t, one)
	w.gone(t, one)
	w.remove(t, two)
	w.gone(t, two)
	w.remove(t, sandbox)
	w.gone(t, sandbox)
}
