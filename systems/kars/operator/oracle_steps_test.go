// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"context"
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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// keySet returns a key set of an issuer.
func keySet(t *testing.T) string {
	return encode(t, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: keyOf(3).private, KeyID: "one", Algorithm: "EdDSA", Use: "sig"}}})
}

// tenant makes a tenant with nothing in it.
func (o *oracle) tenant(t *testing.T, i int) *played {
	t.Helper()
	fresh := func() *tenant { return &tenant{since: map[string]time.Time{}, waits: map[string]string{}} }
	p := &played{tenant: fresh(), ns: o.NewNamespace(t), name: fmt.Sprintf("box-%d", i)}
	p.twin = fresh()
	p.good = o.publish(t, "lists", allowlistType, list(t, 1, fmt.Sprintf("good-%d.example.com", i)))
	o.sign(t, p.good, false)
	p.forged = o.publish(t, "lists", allowlistType, list(t, 2, fmt.Sprintf("forged-%d.example.com", i)))
	o.sign(t, p.forged, true)
	return p
}

const allowlistType = "application/vnd.kars.egress-allowlist.v1+yaml"

// storeOf reads the report of a router about its memory store, from the router itself.
func (o *oracle) storeOf(t *testing.T, p *tenant, name string) string {
	t.Helper()
	if !p.runs() || !p.bound {
		return ""
	}
	var secret corev1.Secret
	if err := o.API.Get(t.Context(), client.ObjectKey{Namespace: "kars-" + name, Name: "router-admin-token"}, &secret); err != nil {
		return p.store
	}
	address := o.Kubelet.Address("kars-"+name, 8443)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // it is asked again
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/internal/policy-status", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+string(secret.Data["token"]))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return p.store
	}
	defer response.Body.Close()
	var status struct {
		Entries []struct {
			Kind        string  `json:"kind"`
			LastError   *string `json:"last_error"`
			StoreSeenAt *string `json:"store_seen_at"`
		} `json:"entries"`
	}
	if err := json.NewDecoder(response.Body).Decode(&status); err != nil {
		return p.store
	}
	for _, e := range status.Entries {
		switch {
		case e.Kind != "Memory":
		case e.LastError != nil && strings.HasPrefix(*e.LastError, "AuthMisconfigured:"):
			return "refused"
		case e.LastError != nil && strings.HasPrefix(*e.LastError, "MemoryStoreMissing:"):
			return "missing"
		case e.StoreSeenAt != nil:
			return "seen"
		}
	}
	return ""
}

func (o *oracle) pick(is string, states ...string) string { return world.Pick(o.random, is, states...) }

// step does something to a tenant and returns a description.
func (o *oracle) step(t *testing.T, p *played) string {
	t.Helper()
	kinds := []func(*testing.T, *played) string{o.box, o.box, o.box, o.box, o.call, o.call, o.trial, o.twin, o.twin, o.byHands, o.namesake,
		o.forgets, o.premade,
		o.tools, o.models, o.memory, o.server, o.agent, o.graph, o.grant, o.eval}
	for {
		if what := kinds[o.random.IntN(len(kinds))](t, p); what != "" {
			return what
		}
	}
}

func (o *oracle) tools(t *testing.T, p *played) string {
	was := p.tools
	p.tools = o.pick(was, "allow", "deny", "none", "malformed", "")
	world.Set(t, o.World, &api.ToolPolicy{ObjectMeta: p.meta("ToolPolicy")}, was, p.tools, func(x *api.ToolPolicy) {
		x.Spec = api.ToolPolicySpec{AppliesTo: api.ToolTarget{SandboxMatchLabels: team}}
		if profile := map[string]string{"allow": "tools:\n  allow: [search]\n", "deny": "tools:\n  deny: [mail]\n",
			"malformed": "- a list"}[p.tools]; profile != "" {
			x.Spec.AgtProfile = &api.AgtProfile{Inline: profile}
		}
	})
	p.publishedTools = p.tools == "allow" || p.tools == "deny" || p.publishedTools && p.tools == "malformed"
	return "tools: " + p.tools
}

func (o *oracle) models(t *testing.T, p *played) string {
	was := p.models
	p.models = o.pick(was, "budget", "budget", "none", "contradictory", "")
	world.Set(t, o.World, &api.InferencePolicy{ObjectMeta: p.meta("InferencePolicy")}, was, p.models, func(x *api.InferencePolicy) {
		x.Spec = map[string]api.InferencePolicySpec{"budget": {TokenBudget: &api.TokenBudget{PerRequestTokens: 4000}},
			"contradictory": {TokenBudget: &api.TokenBudget{PerRequestTokens: 4000, MonthlyTokens: 10}}}[p.models]
	})
	p.publishedModels = p.models == "budget" || p.publishedModels && p.models == "contradictory"
	return "models: " + p.models
}

func (o *oracle) memory(t *testing.T, p *played) string {
	was := p.memory
	p.memory = o.pick(was, "bound", "bound", "none", "malformed", "")
	world.Set(t, o.World, &api.KarsMemory{ObjectMeta: p.meta("KarsMemory")}, was, p.memory, func(x *api.KarsMemory) {
		x.Spec = map[string]api.KarsMemorySpec{"bound": {StoreName: p.name, Scope: "red"},
			"malformed": {StoreName: p.name, Scope: "red:blue"}}[p.memory]
	})
	p.publishedMemory = p.memory == "bound" || p.publishedMemory && p.memory == "malformed"
	return "memory: " + p.memory
}

func (o *oracle) server(t *testing.T, p *played) string {
	was := p.server
	p.server = o.pick(was, "key set", "plain", "bad PKCE", "")
	world.Set(t, o.World, &api.McpServer{ObjectMeta: p.meta("McpServer")}, was, p.server, func(x *api.McpServer) {
		x.Spec = map[string]api.McpServerSpec{"plain": {URL: "https://mcp.example.com"},
			"key set":  {URL: "https://mcp.example.com", ProductionMode: true, OAuth: &api.McpOAuth{Issuer: o.kars.issuer}},
			"bad PKCE": {URL: "https://mcp.example.com", OAuth: &api.McpOAuth{Issuer: o.kars.issuer, PKCE: "plain"}}}[p.server]
	})
	return "server: " + p.server
}

func (o *oracle) agent(t *testing.T, p *played) string {
	was := p.agent
	p.agent = o.pick(was, "good", "key ends", "key twice", "")
	p.keyEnds = time.Time{}
	world.Set(t, o.World, &api.A2AAgent{ObjectMeta: p.meta("A2AAgent")}, was, p.agent, func(x *api.A2AAgent) {
		one := api.SigningKey{Kid: "k1", PublicKeyB64u: keyOf(1).b64}
		x.Spec = api.A2AAgentSpec{EndpointURL: "https://agent.example.com", SigningKeys: []api.SigningKey{one}}
		switch p.agent {
		case "key twice":
			x.Spec.SigningKeys = append(x.Spec.SigningKeys, one)
		case "key ends":
			p.keyEnds = o.Now().Add(2 * time.Hour).Truncate(time.Second)
			x.Spec.SigningKeys[0].NotAfter = &metav1.Time{Time: p.keyEnds}
		}
	})
	return "agent: " + p.agent
}

func (o *oracle) graph(t *testing.T, p *played) string {
	was := p.graph
	p.graph = o.pick(was, "good", "bad", "")
	world.Set(t, o.World, &api.TrustGraph{ObjectMeta: metav1.ObjectMeta{Name: p.name}}, was, p.graph, func(x *api.TrustGraph) {
		x.Spec.Vertices = []api.TrustVertex{{ID: "a", PublicKeyB64u: map[string]string{"good": keyOf(1).b64, "bad": "AAAA"}[p.graph]}}
	})
	return "graph: " + p.graph
}

func (o *oracle) grant(t *testing.T, p *played) string {
	was := p.grant
	p.grant = o.pick(was, "hour", "day", "no time", "too long", "no reason", "")
	world.Set(t, o.World, &api.EgressApproval{ObjectMeta: p.meta("EgressApproval")}, was, p.grant, func(x *api.EgressApproval) {
		x.Spec = api.EgressApprovalSpec{Sandbox: p.name, Hosts: []api.Endpoint{{Host: "granted.example.com"}}, Reason: "an incident",
			TTL: map[string]string{"hour": "PT1H", "day": "P1D", "no time": "PT0S", "too long": "P2D", "no reason": "PT1H"}[p.grant]}
		if p.grant == "no reason" {
			x.Spec.Reason = "\u200b"
		}
	})
	if p.grant == "" {
		p.effective, p.granted, p.expired = time.Time{}, 0, false
	}
	return "grant: " + p.grant
}

func (o *oracle) eval(t *testing.T, p *played) string {
	was := p.eval
	p.eval, p.strict = o.pick(was, "plain", "scheduled", "bad schedule", "unknown corpus", ""), o.random.IntN(2) == 0
	world.Set(t, o.World, &api.KarsEval{ObjectMeta: p.meta("KarsEval")}, was, p.eval, func(x *api.KarsEval) {
		x.Spec = api.KarsEvalSpec{TargetSandboxRef: api.NameRef{Name: p.name}, FailSandboxOnDrift: p.strict,
			Corpus: api.CorpusSource{Builtin: "banned-tools"}}
		switch p.eval {
		case "scheduled":
			x.Spec.Schedule = "0 0 1 1 *"
		case "bad schedule":
			x.Spec.Schedule = "every now and then"
		case "unknown corpus":
			x.Spec.Corpus.Builtin = "no-such-corpus"
		}
	})
	if p.eval == "" {
		p.result, p.verdict = "", ""
	}
	return fmt.Sprintf("eval: %s, fails the sandbox: %v", p.eval, p.strict)
}

// box creates, edits or deletes the sandbox.
func (o *oracle) box(t *testing.T, p *played) string {
	was := p.box
	switch n := o.random.IntN(10); {
	case was == "" || n == 0:
		p.box = o.pick(was, "plain", "plain", "no adapter", "no runtime")
	case n == 1 && o.random.IntN(2) == 0:
		p.box = ""
	case n < 4:
		p.suspended = !p.suspended
	case n == 4:
		p.overlay = !p.overlay
	case n == 5 && p.governed && o.random.IntN(2) == 0:
		p.outsider = !p.outsider
	case n == 5:
		p.governed = !p.governed
	case n == 6 || n == 7:
		p.bound = !p.bound
	case p.list != p.settled: // the operator may not have seen it, and what it says of a list depends on the one before
		return ""
	case o.lost: // whether a list can be verified depends on what the operator has fetched within the hour
		p.list = o.pick(p.list, "forged", "absent", "inline", "")
	default:
		p.list = o.pick(p.list, "good", "good and inline", "inline", "forged", "absent", "")
	}
	if was == "" {
		if o.lost {
			p.list = ""
		}
		p.lastGood, p.wasSuspended, p.asked, p.drift = false, false, false, ""
	}
	p.asked = p.asked || p.suspended
	p.edits++
	world.Set(t, o.World, &api.KarsSandbox{ObjectMeta: p.meta("KarsSandbox")}, was, p.box, func(x *api.KarsSandbox) {
		x.Spec = api.KarsSandboxSpec{Runtime: api.RuntimeSpec{Kind: map[string]string{"plain": "OpenClaw", "no adapter": "SemanticKernel",
			"no runtime": "BYO"}[p.box]},
			InferenceRef: api.NameRef{Name: "models"}, Suspended: p.suspended, Governance: &api.GovernanceSpec{Enabled: ptr.To(false)}}
		if p.governed {
			x.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}}
		}
		if p.bound {
			x.Spec.MemoryRef = &api.NameRef{Name: "notes"}
		}
		if p.overlay {
			x.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "theirs"}}
		}
		x.Spec.NetworkPolicy = p.network()
		if x.Labels = maps.Clone(team); p.outsider {
			x.Labels["team"] = "blue"
		}
	})
	return fmt.Sprintf("box: %s, suspended %v, overlay %v, governed %v, outsider %v, bound %v, list %q", p.box, p.suspended, p.overlay,
		p.governed, p.outsider, p.bound, p.list)
}

// network returns the part of the spec about destinations.
func (p *played) network() *api.NetworkSpec {
	lost := p.good
	lost.Digest = "sha256:" + strings.Repeat("0", 64)
	n := &api.NetworkSpec{AllowlistRef: map[string]*api.ArtifactRef{"good": &p.good, "good and inline": &p.good, "forged": &p.forged,
		"absent": &lost}[p.list]}
	switch p.list {
	case "":
		return nil
	case "inline", "good and inline":
		n.AllowedEndpoints = []api.Endpoint{{Host: "inline.example.com"}}
	}
	return n
}

// call makes a call of the box's runtime to its store, which answers.
func (o *oracle) call(t *testing.T, p *played) string {
	one, name := p.tenant, p.name
	if o.random.IntN(3) == 0 {
		one, name = p.tenant.twin, p.twinName()
	}
	if !one.runs() || !one.bound || p.memory != "bound" {
		return ""
	}
	code := []int{200, 200, 401, 403, 404}[o.random.IntN(5)]
	o.remember(t, name, code)
	return fmt.Sprintf("the store answers %d to %s", code, name)
}

// trial runs the evaluation, of which the profile of the router decides.
func (o *oracle) trial(t *testing.T, p *played) string {
	usable := (p.eval == "plain" || p.eval == "scheduled") && p.runs() && p.models == "budget" && p.governed &&
		(p.tools == "allow" || p.tools == "deny") &&
		p.list != "forged" && p.list != "absent" && (!p.bound || p.store == "seen" && p.memory == "bound")
	if !usable {
		return ""
	}
	eval := &api.KarsEval{ObjectMeta: p.meta("KarsEval")}
	world.Edit(t, o.World, eval, func(e *api.KarsEval) { e.Annotations = map[string]string{"kars.azure.com/run-now": "true"} })
	p.result = map[string]string{"allow": "pass", "deny": "fail"}[p.tools]
	p.verdict = p.result
	return "a run: " + p.result
}
