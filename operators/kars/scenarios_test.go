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
	"github.com/tristate/tristate/operators/internal/world"
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
var scenarios = map[string]func(*testing.T, *kars){
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

func trustGraphs(t *testing.T, w *kars) {
	a, b := keyOf(1), keyOf(2)
	edge := api.TrustEdge{From: "a", To: "b", Score: 700, IssuedAt: 1000}
	edge.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(a.private, trustgraph.Payload(edge)))
	forged := edge
	forged.Score = 1000
	graph := &api.TrustGraph{ObjectMeta: metav1.ObjectMeta{Name: "mesh"}, Spec: api.TrustGraphSpec{
		Vertices: []api.TrustVertex{{ID: "a", PublicKeyB64u: a.b64}, {ID: "b", PublicKeyB64u: b.b64}}, Edges: []api.TrustEdge{edge, forged}}}
	w.Create(t, graph)
	w.Seen.Reach(t, graph, "Progressing=True Reconciling")
	w.Seen.Reach(t, graph, "Ready=True Reconciled")
	if w.Condition(t, graph, "Ready"); graph.Status.ValidEdges != 1 || graph.Status.InvalidEdges != 1 {
		t.Errorf("edges: %d valid, %d invalid", graph.Status.ValidEdges, graph.Status.InvalidEdges)
	}

	world.Edit(t, w.World, graph, func(g *api.TrustGraph) { g.Spec.Vertices = []api.TrustVertex{{ID: "a", PublicKeyB64u: "AAAA"}} })
	w.Seen.Reach(t, graph, "Degraded=True SpecInvalid", "Ready=False SpecInvalid")
	world.Edit(t, w.World, graph, func(g *api.TrustGraph) { g.Spec.Vertices = []api.TrustVertex{{ID: "a", PublicKeyB64u: a.b64}} })
	w.Seen.Reach(t, graph, "Ready=True Reconciled")

	free := w.occupy(t, system, "trustgraph-blocked-projection")
	blocked := &api.TrustGraph{ObjectMeta: metav1.ObjectMeta{Name: "blocked"}, Spec: graph.Spec}
	w.Create(t, blocked)
	w.Seen.Reach(t, blocked, "Degraded=True Failed", "Ready=False Failed")
	free()
	w.Seen.Reach(t, blocked, "Ready=True Reconciled", "Degraded=False Reconciled")
}

func agents(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	agent := func(name string) *api.A2AAgent {
		return &api.A2AAgent{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.A2AAgentSpec{EndpointURL: "https://agent.example.com",
			SigningKeys: []api.SigningKey{{Kid: "k1", PublicKeyB64u: keyOf(1).b64}}}}
	}
	one := agent("one")
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Progressing=True Creating", "Ready=False Creating")
	w.Seen.Reach(t, one, "Ready=True Reconciled")
	world.Edit(t, w.World, one, func(a *api.A2AAgent) { a.Spec.SigningKeys = append(a.Spec.SigningKeys, a.Spec.SigningKeys[0]) })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid", "Progressing=False Failed")
	world.Edit(t, w.World, one, func(a *api.A2AAgent) { a.Spec.SigningKeys = a.Spec.SigningKeys[:1] })
	w.Seen.Reach(t, one, "Ready=True Reconciled")

	free := w.occupy(t, ns, a2aagent.CardName("two"))
	two := agent("two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=False Failed", "Degraded=True Failed")
	free()
	w.Seen.Reach(t, two, "Ready=True Reconciled")
}

func mcpServers(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
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
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Ready=False DependencyMissing", "Degraded=True DependencyMissing")
	w.keys.Store(string(set))
	w.Wake(t)
	w.Seen.Reach(t, one, "Ready=True Reconciled")
	world.Edit(t, w.World, one, func(s *api.McpServer) { s.Spec.OAuth.PKCE = "plain" })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	world.Edit(t, w.World, one, func(s *api.McpServer) { s.Spec.OAuth.PKCE = "S256" })
	w.Seen.Reach(t, one, "Ready=True Reconciled")

	free := w.occupy(t, ns, mcpserver.MetadataName("two"))
	two := server("two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=False Failed", "Degraded=True Failed")
	free()
	w.Seen.Reach(t, two, "Ready=True Reconciled")
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

func toolPolicies(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	one := newToolPolicy(ns, "one")
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Ready=False NoSandboxesReferencing", "Progressing=True NoSandboxesReferencing")
	world.Edit(t, w.World, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline = "- a list" })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	world.Edit(t, w.World, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile = nil })
	w.Seen.Reach(t, one, "Ready=True Reconciled", "Progressing=False Reconciled")
	world.Edit(t, w.World, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile = newToolPolicy(ns, "").Spec.AgtProfile })
	w.Seen.Reach(t, one, "Ready=False NoSandboxesReferencing")

	free := w.occupy(t, ns, toolpolicy.ProfileName("two"))
	two := newToolPolicy(ns, "two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Degraded=True Failed", "Ready=False Failed")
	free()
	w.Seen.Reach(t, two, "Degraded=False Reconciled")
}

func inferencePolicies(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	one := newInferencePolicy(ns, "one")
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Ready=False NoSandboxesReferencing", "Progressing=True NoSandboxesReferencing")
	world.Edit(t, w.World, one, func(p *api.InferencePolicy) { p.Spec.TokenBudget.MonthlyTokens = 10 })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	world.Edit(t, w.World, one, func(p *api.InferencePolicy) { p.Spec = api.InferencePolicySpec{} })
	w.Seen.Reach(t, one, "Ready=True Reconciled", "Progressing=False Reconciled")
	world.Edit(t, w.World, one, func(p *api.InferencePolicy) { p.Spec = newInferencePolicy(ns, "").Spec })
	w.Seen.Reach(t, one, "Ready=False NoSandboxesReferencing")

	free := w.occupy(t, ns, inferencepolicy.ProfileName("two"))
	two := newInferencePolicy(ns, "two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Degraded=True Failed", "Ready=False Failed")
	free()
	w.Seen.Reach(t, two, "Degraded=False Reconciled")
}

// newSandbox returns a sandbox that needs an InferencePolicy "models" and nothing else.
func newSandbox(ns, name string) *api.KarsSandbox {
	return &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.KarsSandboxSpec{
		Runtime: api.RuntimeSpec{Kind: "OpenClaw"}, InferenceRef: api.NameRef{Name: "models"}, Governance: &api.GovernanceSpec{Enabled: ptr.To(false)}}}
}

// enforcement tests a sandbox with all its policies: its router confirms them, a profile is edited, a store refuses.
func enforcement(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	tools, models := newToolPolicy(ns, "tools"), newInferencePolicy(ns, "models")
	memory := &api.KarsMemory{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "notes"}, Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}}
	w.Create(t, memory)
	w.Seen.Reach(t, memory, "Progressing=True Reconciling")
	w.Seen.Reach(t, memory, "Ready=False NoSandboxesReferencing")
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.Scope = "red:blue" })
	w.Seen.Reach(t, memory, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.StoreName, m.Spec.Scope = "", "" })
	w.Seen.Reach(t, memory, "Ready=True Reconciled")
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.StoreName, m.Spec.Scope = "notes", "red" })
	w.Seen.Reach(t, memory, "Ready=False NoSandboxesReferencing")

	w.Create(t, tools)
	w.Create(t, models)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
	w.Seen.Reach(t, models, "Ready=False NoSandboxesReferencing")
	sandbox := newSandbox(ns, "enforced")
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}, McpServerRef: &api.NameRef{Name: "wiki"}}
	sandbox.Spec.MemoryRef = &api.NameRef{Name: "notes"}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Progressing=True Reconciling")
	w.Seen.Reach(t, sandbox, "Progressing=True Creating", "Ready=False Creating")
	w.Seen.Reach(t, sandbox, "Ready=False Created")
	w.Seen.Reach(t, tools, "Progressing=True AwaitingRouterEnforcement", "Ready=False AwaitingRouterEnforcement")
	w.Seen.Reach(t, models, "Progressing=True AwaitingRouterEnforcement")
	w.Seen.Reach(t, memory, "Progressing=True AwaitingRouterEnforcement")
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, models, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, memory, "Ready=False AwaitingFoundryProvisioning", "Degraded=False Reconciled")
	w.Seen.Reach(t, sandbox, "Ready=False AwaitingFoundryProvisioning")
	w.remember(t, "enforced", http.StatusOK)
	w.Seen.Reach(t, memory, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Degraded=False Reconciled")

	// Ready falls at once with an edit, and returns with the echo. A pod has the new file some time later; here once both have fallen.
	w.Kubelet.Hold(true)
	defer w.Kubelet.Hold(false)
	world.Edit(t, w.World, tools, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline = "tools:\n  allow: [search, calendar]\n" })
	w.Seen.Reach(t, tools, "Ready=False AwaitingRouterEnforcement")
	w.Seen.Reach(t, sandbox, "Ready=False AwaitingRouterEnforcement", "Progressing=True AwaitingRouterEnforcement")
	w.Kubelet.Hold(false)
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")

	w.remember(t, "enforced", http.StatusForbidden)
	w.Seen.Reach(t, memory, "Degraded=True AuthMisconfigured", "Ready=False AuthMisconfigured")
	w.Seen.Reach(t, sandbox, "Degraded=True AuthMisconfigured", "Ready=True RouterEnforcing")
	w.remember(t, "enforced", http.StatusNotFound)
	w.Seen.Reach(t, memory, "Degraded=True MemoryStoreMissing", "Ready=False MemoryStoreMissing")
	w.Seen.Reach(t, sandbox, "Degraded=True MemoryStoreMissing")
	w.remember(t, "enforced", http.StatusOK)
	w.Seen.Reach(t, memory, "Ready=True RouterEnforcing", "Degraded=False Reconciled")
	w.Seen.Reach(t, sandbox, "Degraded=False Reconciled")

	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.Seen.Reach(t, sandbox, "Ready=False SuspendedBySpec", "Suspended=True SuspendedBySpec")
	w.Seen.Reach(t, tools, "Ready=False AwaitingRouterEnforcement")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = false })
	w.Seen.Reach(t, sandbox, "Suspended=False Active")
	w.remember(t, "enforced", http.StatusOK)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Suspended=False Active")

	w.Remove(t, sandbox)
	w.Gone(t, sandbox)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
}

// references tests siblings of a sandbox that do not exist, and its spec.
func references(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	sandbox := newSandbox(ns, "referring")
	sandbox.Spec.Governance = nil // governed by the default policy
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=False InferencePolicyNotFound", "Degraded=True InferencePolicyNotFound")
	models := newInferencePolicy(ns, "models")
	w.Create(t, models)
	w.Seen.Reach(t, sandbox, "Ready=False ToolPolicyNotFound", "Degraded=True ToolPolicyNotFound")
	tools := newToolPolicy(ns, "kars-default")
	w.Create(t, tools)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "RuntimeReady=True Reconciled")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime.Kind = "SemanticKernel" })
	w.Seen.Reach(t, sandbox, "Ready=False AdapterMissing", "RuntimeReady=False AdapterMissing", "Degraded=True AdapterMissing")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime = api.RuntimeSpec{Kind: "BYO"} })
	w.Seen.Reach(t, sandbox, "Ready=False SpecInvalid", "Degraded=True SpecInvalid")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime = api.RuntimeSpec{Kind: "LangGraph"} })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "RuntimeReady=True Reconciled")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) {
		s.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "theirs"}}
	})
	w.Seen.Reach(t, sandbox, "Ready=True OverlayMode", "Suspended=True OverlayMode", "RuntimeReady=False OverlayMode")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.UpstreamCompatibility = nil })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Remove(t, sandbox)
	w.Gone(t, sandbox)
}

// approvals tests grants: their specs, their sandbox, their time.
func approvals(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	approval := func(name string) *api.EgressApproval {
		return &api.EgressApproval{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.EgressApprovalSpec{Sandbox: "granted",
			Hosts: []api.Endpoint{{Host: name + ".example.com"}}, Reason: "an incident", TTL: "PT1H"}}
	}
	one := approval("one")
	w.Create(t, one)
	w.Seen.Reach(t, one, "Degraded=True BlockedOnSandbox", "Ready=False BlockedOnSandbox", "Progressing=True BlockedOnSandbox")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL = "P1M" })
	w.Seen.Reach(t, one, "Degraded=True TtlInvalid", "Ready=False TtlInvalid")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL = "P2D" })
	w.Seen.Reach(t, one, "Degraded=True TtlExceedsCeiling", "Ready=False TtlExceedsCeiling")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL, a.Spec.Reason = "PT1H", "\x01" })
	w.Seen.Reach(t, one, "Degraded=True ReasonInvalid", "Ready=False ReasonInvalid")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.Reason = "an incident" })
	w.Seen.Reach(t, one, "Degraded=True BlockedOnSandbox")

	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "granted")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, one, "Progressing=True AwaitingRouterEcho", "Ready=False AwaitingRouterEcho")
	w.Seen.Reach(t, one, "Ready=True RouterConfirmed", "Degraded=False RouterConfirmed")
	two := approval("two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=True RouterConfirmed")

	w.Later(t, 2*time.Hour)
	w.Seen.Reach(t, one, "Ready=False Expired", "Degraded=True Expired", "Progressing=False Expired")
	w.Seen.Reach(t, two, "Degraded=True Expired")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL = "P1D" })
	world.Eventually(t, func() error { return w.Judged(t, one, "Ready") })
	if c := w.Condition(t, one, "Ready"); c.Reason != "Expired" || one.Status.Phase != "Expired" {
		t.Errorf("an expired grant came back with a longer time: %s, phase %s", c.Reason, one.Status.Phase)
	}
	w.Remove(t, one)
	w.Gone(t, one)
	w.Remove(t, two)
	w.Gone(t, two)
	w.Remove(t, sandbox)
	w.Gone(t, sandbox)
}
