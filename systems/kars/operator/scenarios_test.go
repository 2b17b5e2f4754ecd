// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/a2aagent"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/inferencepolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/mcpserver"
	"github.com/tristate/tristate/systems/kars/operator/internal/toolpolicy"
	"github.com/tristate/tristate/systems/kars/operator/internal/trustgraph"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scenarios reach rows by kind. Each has objects and namespaces of its own, so that they can run side by side.
var scenarios = map[string]func(*testing.T, *kars){
	"TrustGraph":           trustGraphs,
	"A2AAgent":             agents,
	"McpServer":            mcpServers,
	"ToolPolicy":           toolPolicies,
	"InferencePolicy":      inferencePolicies,
	"policies and routers": enforcement,
	"several referrers":    referrers,
	"sandbox references":   references,
	"sandbox workload":     workloads,
	"overlay":              overlaid,
	"allowlist":            allowlists,
	"EgressApproval":       approvals,
	"KarsEval":             evals,
	"tenants":              tenants,
	"strangers":            strangers,
	"fights":               fought,
	"schedules":            scheduled,
	"selectors":            selected,
	"apart":                apart,
	"stopped":              stopped,
	"beforehand":           beforehand,
}

// stopped suspends a sandbox that is blocked while it runs: "spec.suspended: true; Deployment scaled to 0".
func stopped(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	tools := newToolPolicy(ns, "tools")
	w.Create(t, tools)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "stopped")
	sandbox.Labels = team
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Remove(t, tools)
	w.Seen.Reach(t, sandbox, "Ready=False ToolPolicyNotFound")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.Seen.Reach(t, sandbox, "Ready=False ToolPolicyNotFound", "Suspended=True SuspendedBySpec")
	replicas := func() (out []int32) {
		for _, name := range []string{"stopped", kit.AgentName("stopped")} {
			d := &appsv1.Deployment{}
			if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: kit.SandboxNamespace("stopped"), Name: name}, d); err != nil {
				t.Fatal(err)
			}
			out = append(out, *d.Spec.Replicas)
		}
		return out
	}
	if got := replicas(); got[0] != 0 || got[1] != 0 {
		t.Errorf("Suspended is True, and the Deployments have %v replicas", got)
	}
	w.byHand(t, "stopped", edit{"Deployment", "NAME-agent", `{"spec":{"replicas":1}}`}) // nobody starts it behind its back
	world.Eventually(t, func() error {
		if got := replicas(); got[1] != 0 {
			return fmt.Errorf("the agent has %v replicas", got)
		}
		return nil
	})
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = false })
	w.Create(t, newToolPolicy(ns, "tools"))
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Suspended=False Active")
	w.Leave(t, sandbox)
}

// beforehand has somebody make the namespace of a sandbox before the operator does, with every mark that the operator would write: the
// sandbox does not move in. A sandbox whose finalizer is removed by hand leaves nothing behind, and its name is free.
func beforehand(t *testing.T, w *kars) {
	ns, other := w.NewNamespace(t), w.NewNamespace(t)
	for _, n := range []string{ns, other} {
		w.Create(t, newInferencePolicy(n, "models"))
	}
	sandbox := newSandbox(ns, "prey")
	theirs := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace("prey"),
		Labels:      map[string]string{"app.kubernetes.io/managed-by": kit.Manager, kit.LabelSandbox: "prey", kit.LabelSandboxOwner: ns},
		Annotations: map[string]string{"kars.azure.com/owner": "KarsSandbox/" + ns + "/prey/00000000-0000-0000-0000-000000000000"}}}
	if err := w.API.Create(t.Context(), theirs, client.FieldOwner(kit.Manager)); err != nil {
		t.Fatal(err)
	}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=False Failed")
	var inside corev1.SecretList
	if err := w.API.List(t.Context(), &inside, client.InNamespace(theirs.Name)); err != nil || len(inside.Items) > 0 {
		t.Errorf("the sandbox has moved in: %d secrets, %v", len(inside.Items), err)
	}
	w.Remove(t, theirs)
	w.Gone(t, theirs)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")

	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Finalizers = nil })
	w.Remove(t, sandbox)
	world.Eventually(t, func() error { // the operator may have written the finalizer again before the deletion
		err := w.API.Get(t.Context(), client.ObjectKeyFromObject(sandbox), &api.KarsSandbox{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("the sandbox is there: %v", err)
		}
		return nil
	})
	second := newSandbox(other, "prey")
	w.Create(t, second)
	w.Seen.Reach(t, second, "Ready=True RouterEnforcing")
	w.Leave(t, second)
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
		return &api.A2AAgent{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
			Spec: api.A2AAgentSpec{EndpointURL: "https://agent.example.com",
				SigningKeys: []api.SigningKey{{Kid: "k1", PublicKeyB64u: keyOf(1).b64}}}}
	}
	one := agent("one")
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Progressing=True Creating", "Ready=False Creating")
	w.Seen.Reach(t, one, "Ready=True Reconciled")
	world.Edit(t, w.World, one, func(a *api.A2AAgent) { a.Spec.SigningKeys = append(a.Spec.SigningKeys, a.Spec.SigningKeys[0]) })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "Progressing=False Failed", "!Degraded")
	world.Edit(t, w.World, one, func(a *api.A2AAgent) { a.Spec.SigningKeys = a.Spec.SigningKeys[:1] })
	w.Seen.Reach(t, one, "Ready=True Reconciled")
	w.Condition(t, one, "Ready")

	// versionHash and lastCompiledAt are those of the last successful compile.
	hash, compiled := one.Status.VersionHash, one.Status.LastCompiledAt
	if hash == "" || compiled == nil || one.Status.AgentCardConfigMapRef == nil ||
		one.Status.AgentCardConfigMapRef.Name != a2aagent.CardName("one") {
		t.Errorf("the status of a compiled card: %+v", one.Status)
	}
	world.Edit(t, w.World, one, func(a *api.A2AAgent) { a.Spec.PolicyRefs = &api.A2APolicyRefs{ToolPolicy: "nowhere"} })
	w.Seen.Reach(t, one, "Ready=False DependencyMissing", "Progressing=False Failed")
	card := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: a2aagent.CardName("one")}}
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(card), card); err != nil {
		t.Fatal(err)
	}
	if got := digest.Version([]byte(card.Data[a2aagent.CardKey])); got != hash {
		t.Errorf("a card is published as %s that did not compile, want %s", got, hash)
	}
	if w.Condition(t, one, "Ready"); one.Status.VersionHash != hash || !one.Status.LastCompiledAt.Equal(compiled) {
		t.Errorf("after a failure the compile is %s at %s, want %s at %s", one.Status.VersionHash, one.Status.LastCompiledAt, hash, compiled)
	}
	w.Later(t, 5*time.Second)
	world.Edit(t, w.World, one, func(a *api.A2AAgent) { a.Spec.PolicyRefs, a.Spec.Description = nil, "another" })
	w.Seen.Reach(t, one, "Ready=True Reconciled")
	if w.Condition(t, one, "Ready"); one.Status.VersionHash == hash || !compiled.Before(one.Status.LastCompiledAt) {
		t.Errorf("after an edit the compile is %s at %s, as before", one.Status.VersionHash, one.Status.LastCompiledAt)
	}

	free := w.occupy(t, ns, a2aagent.CardName("two"))
	two := agent("two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=False Failed", "!Degraded")
	free()
	w.Seen.Reach(t, two, "Ready=True Reconciled")
}

func mcpServers(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: keyOf(3).private, KeyID: "one", Algorithm: "EdDSA",
		Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := func(name string) *api.McpServer {
		return &api.McpServer{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.McpServerSpec{URL: "https://mcp.example.com",
			ProductionMode: true,
			OAuth:          &api.McpOAuth{Issuer: w.issuer}}}
	}
	w.keys.Store(`{"keys":"none"}`)
	one := server("one")
	w.Create(t, one)
	w.Seen.Reach(t, one, "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Ready=False DependencyMissing", "Progressing=False Failed", "!Degraded")
	w.keys.Store(string(set))
	w.Wake(t)
	w.Seen.Reach(t, one, "Ready=True Reconciled")
	world.Edit(t, w.World, one, func(s *api.McpServer) { s.Spec.OAuth.PKCE = "plain" })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "!Degraded")
	world.Edit(t, w.World, one, func(s *api.McpServer) { s.Spec.OAuth.PKCE = "S256" })
	w.Seen.Reach(t, one, "Ready=True Reconciled")

	free := w.occupy(t, ns, mcpserver.MetadataName("two"))
	two := server("two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=False Failed", "!Degraded")
	free()
	w.Seen.Reach(t, two, "Ready=True Reconciled")

	// Without productionMode metadata and keys are mirrored too, and an issuer that does not answer is a failure.
	three := server("three")
	three.Spec.ProductionMode, three.Spec.OAuth.Issuer = false, "https://127.0.0.1:1"
	w.Create(t, three)
	w.Seen.Reach(t, three, "Ready=False Failed", "Progressing=False Failed")
	world.Edit(t, w.World, three, func(s *api.McpServer) { s.Spec.URL = "ftp://mcp.example.com" })
	w.Seen.Reach(t, three, "Ready=False SpecInvalid")

	// Ready is True once the directory of each sandbox that refers to the server and may has the content; of no other sandbox.
	w.Create(t, newInferencePolicy(ns, "models"))
	boxes := map[string]*api.KarsSandbox{}
	for name, tier := range map[string]string{"mcp-caller": "inner", "mcp-stranger": "outer"} {
		box := newSandbox(ns, name)
		box.Labels["tier"] = tier
		box.Spec.Governance.McpServerRefs = []api.NameRef{{Name: "one"}}
		boxes[name] = box
	}
	world.Edit(t, w.World, one, func(s *api.McpServer) {
		s.Spec.AllowedSandboxes = &api.McpSandboxes{MatchLabels: map[string]string{"tier": "inner"}}
	})
	world.Eventually(t, func() error { return w.Judged(t, one, "Ready") }) // the operator has the edit before it sees a sandbox
	for _, box := range boxes {
		w.Create(t, box)
		w.Seen.Reach(t, box, "Ready=True RouterEnforcing")
	}
	key := client.ObjectKey{Namespace: kit.SandboxNamespace("mcp-caller"), Name: mcpserver.MetadataName("one")}
	mirrored, workload := &corev1.ConfigMap{}, &appsv1.Deployment{}
	world.Eventually(t, func() error { return w.API.Get(t.Context(), key, mirrored) })
	w.Seen.Reach(t, one, "Ready=True Reconciled", "Progressing=False Reconciled")
	w.Seen.Skip(t, one) // for a sandbox that comes it is Reconciling, too
	world.Edit(t, w.World, one, func(s *api.McpServer) { s.Spec.URL = "https://mcp2.example.com" })
	w.Seen.Reach(t, one, "Ready=False Reconciling", "Progressing=True Reconciling")
	w.Seen.Reach(t, one, "Ready=True Reconciled", "Progressing=False Reconciled")
	if err := w.API.Get(t.Context(), key, mirrored); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{mcpserver.KeysFile: `"kid":"one"`, mcpserver.IssuerFile: `"jwks_uri"`,
		mcpserver.MetaFile: "mcp2.example.com"} {
		if !strings.Contains(mirrored.Data[file], want) {
			t.Errorf("file %s of the sandbox is %q, without %s", file, mirrored.Data[file], want)
		}
	}
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: key.Namespace, Name: "mcp-caller"}, workload); err != nil {
		t.Fatal(err)
	}
	if pod := encode(t, workload.Spec.Template.Spec); !strings.Contains(pod, `"/etc/kars/mcp/one"`) || !strings.Contains(pod, key.Name) {
		t.Errorf("the directory is not mounted:\n%s", pod)
	}
	key.Namespace = kit.SandboxNamespace("mcp-stranger")
	if err := w.API.Get(t.Context(), key, mirrored); !apierrors.IsNotFound(err) {
		t.Errorf("a sandbox that the server does not allow has its content: %v", err)
	}
	w.event(t, boxes["mcp-stranger"], "McpServerDenied", 1)
	world.Edit(t, w.World, one, func(s *api.McpServer) {
		s.Spec.AllowedSandboxes = &api.McpSandboxes{MatchLabels: map[string]string{"tier": "none"}}
	})
	w.event(t, boxes["mcp-caller"], "McpServerDenied", 1)
	for _, box := range boxes {
		w.Leave(t, box)
	}
}

// team are the labels of sandboxes that policies of tests select.
var team = map[string]string{"team": "red"}

func newToolPolicy(ns, name string) *api.ToolPolicy {
	return &api.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}, Spec: api.ToolPolicySpec{
		AppliesTo: api.ToolTarget{SandboxMatchLabels: team}, AgtProfile: &api.AgtProfile{Inline: "tools:\n  allow: [search]\n"}}}
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
	w.Seen.Reach(t, one, "Ready=False NoSandboxesReferencing", "Progressing=False Reconciled")
	world.Edit(t, w.World, one, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline = "- a list" })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "!Degraded")
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
	w.Seen.Reach(t, one, "Ready=False NoSandboxesReferencing", "Progressing=False Reconciled")
	world.Edit(t, w.World, one, func(p *api.InferencePolicy) { p.Spec.TokenBudget.MonthlyTokens = 10 })
	w.Seen.Reach(t, one, "Ready=False SpecInvalid", "!Degraded")
	was := contentOf(t, w, ns, inferencepolicy.ProfileName("one"))
	world.Edit(t, w.World, one, func(p *api.InferencePolicy) {
		p.Spec = newInferencePolicy(ns, "").Spec
		p.Spec.TokenBudget.PerRequestTokens++
		p.Spec.AppliesTo.SandboxName = "nowhere"
	})
	w.Seen.Reach(t, one, "Ready=False DependencyMissing", "Progressing=False Failed")
	if is := contentOf(t, w, ns, inferencepolicy.ProfileName("one")); !maps.Equal(was, is) {
		t.Errorf("a policy is published whose sandbox does not exist: it was %v, and is %v", was, is)
	}
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

// contentOf returns the content of a ConfigMap as the API server has it; nil: there is none.
func contentOf(t *testing.T, w *kars, ns, name string) map[string]string {
	t.Helper()
	c := &corev1.ConfigMap{}
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, c); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return c.Data
}

// newSandbox returns a sandbox that needs an InferencePolicy "models" and nothing else.
func newSandbox(ns, name string) *api.KarsSandbox {
	return &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: maps.Clone(team)}, Spec: api.KarsSandboxSpec{
		Runtime: api.RuntimeSpec{Kind: "OpenClaw"}, InferenceRef: api.NameRef{Name: "models"},
		Governance: &api.GovernanceSpec{Enabled: ptr.To(false)}}}
}

// enforcement tests a sandbox with all its policies: its router confirms them, a profile is edited, a store refuses.
func enforcement(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	tools, models := newToolPolicy(ns, "tools"), newInferencePolicy(ns, "models")
	memory := &api.KarsMemory{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "notes"},
		Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}}
	w.Create(t, memory)
	w.Seen.Reach(t, memory, "Progressing=True Reconciling")
	w.Seen.Reach(t, memory, "Ready=False AwaitingFoundryProvisioning")
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.Scope = "red:blue" })
	w.Seen.Reach(t, memory, "Ready=False SpecInvalid", "!Degraded")
	stray := &api.KarsMemory{ObjectMeta: meta(ns, "stray"), Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red",
		SandboxRef: &api.NameRef{Name: "nowhere"}}}
	w.Create(t, stray)
	w.Seen.Reach(t, stray, "Ready=False DependencyMissing", "Progressing=False Failed")
	if got := contentOf(t, w, ns, karsmemory.BindingName("stray")); got != nil {
		t.Errorf("a memory is published whose sandbox does not exist: %v", got)
	}
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.StoreName, m.Spec.Scope = "", "" })
	w.Seen.Reach(t, memory, "Ready=True Reconciled")
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.StoreName, m.Spec.Scope = "notes", "red" })
	w.Seen.Reach(t, memory, "Ready=False AwaitingFoundryProvisioning")

	w.Create(t, tools)
	w.Create(t, models)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
	w.Seen.Reach(t, models, "Ready=False NoSandboxesReferencing")
	sandbox := newSandbox(ns, "enforced")
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}, McpServerRef: &api.NameRef{Name: "wiki"}}
	sandbox.Spec.MemoryRef = &api.NameRef{Name: "notes"}
	sandbox.Spec.A2A = &api.A2ASpec{Enabled: true, AgentRef: &api.NameRef{Name: "envoy"}}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Progressing=True Reconciling")
	w.Seen.Reach(t, sandbox, "Ready=False DependencyMissing", "Progressing=False Failed", "!Degraded") // "A referenced sibling CR is absent"
	w.Create(t, &api.McpServer{ObjectMeta: meta(ns, "wiki"), Spec: api.McpServerSpec{URL: "https://wiki.example.com"}})
	envoy := &api.A2AAgent{ObjectMeta: meta(ns, "envoy"), Spec: api.A2AAgentSpec{EndpointURL: "https://agent.example.com",
		SigningKeys: []api.SigningKey{{Kid: "k1", PublicKeyB64u: keyOf(1).b64}}}}
	w.Create(t, envoy)
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

	// The card reaches the router, also one that is edited.
	for _, description := range []string{"", "speaks for team red"} {
		if description != "" {
			world.Edit(t, w.World, envoy, func(a *api.A2AAgent) { a.Spec.Description = description })
		}
		world.Eventually(t, func() error {
			want := digest.Of(digest.AgentCard, []byte(a2aagent.Card(envoy)))
			if have := w.reported(t, "enforced")[digest.AgentCard]; have != want {
				return fmt.Errorf("the router has card %s, want %s", have, want)
			}
			return nil
		})
	}

	w.profile(t, tools, "tools:\n  allow: [search, calendar]\n", sandbox)

	w.remember(t, "enforced", http.StatusForbidden)
	w.Seen.Reach(t, memory, "Degraded=True AuthMisconfigured", "Ready=False AuthMisconfigured")
	w.Seen.Reach(t, sandbox, "Degraded=True AuthMisconfigured", "Ready=True RouterEnforcing")
	w.remember(t, "enforced", http.StatusNotFound)
	w.Seen.Reach(t, memory, "Degraded=True MemoryStoreMissing", "Ready=False AwaitingFoundryProvisioning")
	w.Seen.Reach(t, sandbox, "Degraded=True MemoryStoreMissing")
	w.remember(t, "enforced", http.StatusOK)
	w.Seen.Reach(t, memory, "Ready=True RouterEnforcing", "Degraded=False Reconciled")
	w.Seen.Reach(t, sandbox, "Degraded=False Reconciled")

	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.Seen.Reach(t, sandbox, "Ready=False SuspendedBySpec", "Suspended=True SuspendedBySpec")
	w.Seen.Reach(t, tools, "Ready=False AwaitingRouterEnforcement")
	workload := &appsv1.Deployment{} // "spec.suspended: true; Deployment scaled to 0"
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: kit.SandboxNamespace("enforced"), Name: "enforced"}, workload); err != nil ||
		*workload.Spec.Replicas != 0 {
		t.Errorf("the Deployment of a suspended sandbox has %v replicas, %v", ptr.Deref(workload.Spec.Replicas, -1), err)
	}
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = false })
	w.Seen.Reach(t, sandbox, "Suspended=False Active")
	w.remember(t, "enforced", http.StatusOK)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Suspended=False Active")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.Seen.Reach(t, sandbox, "Suspended=True SuspendedBySpec", "Degraded=False Reconciled")

	w.Remove(t, sandbox)
	w.Gone(t, sandbox)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
}

// profile edits the profile of a policy that sandboxes refer to: Ready falls at once with the edit, and returns with the echo. A pod has
// the new file some time later; here once all have fallen.
func (w *kars) profile(t *testing.T, tools *api.ToolPolicy, profile string, sandboxes ...*api.KarsSandbox) {
	t.Helper()
	hold := func(on bool) {
		for _, s := range sandboxes {
			w.Kubelet.Hold(kit.SandboxNamespace(s.Name), on)
		}
	}
	hold(true)
	world.Edit(t, w.World, tools, func(p *api.ToolPolicy) { p.Spec.AgtProfile.Inline = profile })
	w.Seen.Reach(t, tools, "Ready=False AwaitingRouterEnforcement")
	for _, s := range sandboxes {
		w.Seen.Reach(t, s, "Ready=False AwaitingRouterEnforcement", "Progressing=True Reconciling")
	}
	hold(false)
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing")
	for _, s := range sandboxes {
		w.Seen.Reach(t, s, "Ready=True RouterEnforcing")
	}
}

// references tests siblings of a sandbox that do not exist, and its spec.
func references(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	sandbox := newSandbox(ns, "referring")
	sandbox.Spec.Governance = nil // governed by the default policy
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=False InferencePolicyNotFound", "!Degraded")
	models := newInferencePolicy(ns, "models")
	w.Create(t, models)
	w.Seen.Reach(t, sandbox, "Ready=False ToolPolicyNotFound", "!Degraded")
	tools := newToolPolicy(ns, "kars-default")
	w.Create(t, tools)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "RuntimeReady=True Reconciled")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime.Kind = "SemanticKernel" })
	w.Seen.Reach(t, sandbox, "Ready=False AdapterMissing", "RuntimeReady=False AdapterMissing", "!Degraded")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime = api.RuntimeSpec{Kind: "BYO"} })
	w.Seen.Reach(t, sandbox, "Ready=False SpecInvalid", "!Degraded")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Runtime = api.RuntimeSpec{Kind: "LangGraph"} })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "RuntimeReady=True Reconciled")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) {
		s.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "theirs"}}
	})
	w.Seen.Reach(t, sandbox, "Ready=True OverlayMode", "!Suspended", "!RuntimeReady")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.UpstreamCompatibility = nil })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Leave(t, sandbox)
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
	w.Seen.Reach(t, one, "Degraded=True BlockedOnSandbox", "Ready=False BlockedOnSandbox", "Progressing=True Reconciling")
	for what, spec := range map[string]api.EgressApprovalSpec{
		"a host with scheme":   {Hosts: []api.Endpoint{{Host: "http://x.example.com/y"}}},
		"a host with port":     {Hosts: []api.Endpoint{{Host: "x.example.com:80"}}},
		"any host":             {Hosts: []api.Endpoint{{Host: "*"}}},
		"any host of a domain": {Hosts: []api.Endpoint{{Host: "*.example.com"}}},
		"an IPv6 address":      {Hosts: []api.Endpoint{{Host: "::1"}}},
		"an IPv4 address":      {Hosts: []api.Endpoint{{Host: "169.254.169.254"}}},
		"a blank host":         {Hosts: []api.Endpoint{{Host: " "}}},
		"a duration ends":      {TTL: "P1DT"},
		"a duration of months": {TTL: "P1M"},
		"a blank reason":       {Reason: "\t\n "},
		"a reason in reverse":  {Reason: "an \u202e incident"},
		"a control character":  {Reason: "an \x01 incident"},
		"another namespace":    {Sandbox: "a/b"},
	} {
		bad := approval("bad")
		if spec.Hosts != nil {
			bad.Spec.Hosts = spec.Hosts
		}
		bad.Spec.TTL, bad.Spec.Reason = cmp.Or(spec.TTL, bad.Spec.TTL), cmp.Or(spec.Reason, bad.Spec.Reason)
		bad.Spec.Sandbox = cmp.Or(spec.Sandbox, bad.Spec.Sandbox)
		if err := w.API.Create(t.Context(), bad); !apierrors.IsInvalid(err) {
			t.Errorf("%s is admitted: %v", what, err)
		}
	}
	if err := w.API.Create(t.Context(), newSandbox(ns, "a.b")); !apierrors.IsInvalid(err) {
		t.Errorf("a sandbox whose namespace cannot be is admitted: %v", err)
	}
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL = "PT0S" })
	w.Seen.Reach(t, one, "Degraded=True TtlInvalid", "Ready=False TtlInvalid")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL = "P2D" })
	w.Seen.Reach(t, one, "Degraded=True TtlExceedsCeiling", "Ready=False TtlExceedsCeiling")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.TTL, a.Spec.Reason = "PT1H", "\u200b" })
	w.Seen.Reach(t, one, "Degraded=True ReasonInvalid", "Ready=False ReasonInvalid")
	world.Edit(t, w.World, one, func(a *api.EgressApproval) { a.Spec.Reason = "an incident" })
	w.Seen.Reach(t, one, "Degraded=True BlockedOnSandbox")

	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "granted")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, one, "Progressing=True AwaitingRouterEcho", "Ready=False AwaitingRouterEcho")
	w.Seen.Reach(t, one, "Ready=True RouterConfirmed", "Degraded=False Reconciled")
	two := approval("two")
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=True RouterConfirmed")
	if w.Condition(t, one, "Ready"); one.Status.Phase != "Active" {
		t.Errorf("a grant that was in force is %s once another one is merged", one.Status.Phase)
	}

	w.Later(t, 2*time.Hour)
	w.Seen.Reach(t, one, "Ready=False Expired", "Degraded=True Expired", "Progressing=False Reconciled")
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
	w.Leave(t, sandbox)
}
