// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
)

// The decisions.
const (
	Allowed        = "Allowed"
	Blocked        = "Blocked"
	BudgetExceeded = "BudgetExceeded"
)

// Decision is the decision of a router about a call, with the kind of policy and the reason.
type Decision struct {
	Decision     string `json:"decision"`
	ByPolicyKind string `json:"byPolicyKind,omitempty"`
	Reason       string `json:"reason,omitempty"`
}

// Scenario is a call of an agent. Kind is tool, egress, inference or memory.
type Scenario struct {
	Kind   string `json:"kind"`
	Tool   string `json:"tool,omitempty"`
	Host   string `json:"host,omitempty"`
	Port   int32  `json:"port,omitempty"`
	Tokens int64  `json:"tokens,omitempty"`
	Scope  string `json:"scope,omitempty"`
}

// Decide decides about a scenario as about the call itself.
func (s *State) Decide(c Scenario) (Decision, error) {
	switch c.Kind {
	case "tool":
		return s.tool(c.Tool), nil
	case "egress":
		return s.egress(c.Host, c.Port), nil
	case "inference":
		return s.tokens(c.Tokens), nil
	case "memory":
		return s.scope(c.Scope), nil
	}
	return Decision{}, fmt.Errorf("scenario kind %q is not known", c.Kind)
}

func (s *State) tool(name string) Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch p := s.profile; {
	case p == nil:
		return Decision{Allowed, "", "no profile is loaded"}
	case slices.Contains(p.Tools.Deny, name):
		return Decision{Blocked, "ToolPolicy", fmt.Sprintf("tool %q is denied", name)}
	case len(p.Tools.Allow) > 0 && !slices.Contains(p.Tools.Allow, name):
		return Decision{Blocked, "ToolPolicy", fmt.Sprintf("tool %q is not allowed", name)}
	}
	return Decision{Allowed, "ToolPolicy", ""}
}

// egress allows the destinations of the list and those of grants that have not expired: the file of an expired one is about to go.
func (s *State) egress(host string, port int32) Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if port == 0 {
		port = 443
	}
	e := digest.Endpoint{Host: strings.ToLower(strings.TrimSuffix(host, ".")), Port: port}
	if slices.Contains(s.baseline, e) {
		return Decision{Allowed, "KarsSandbox", ""}
	}
	for _, g := range s.grants {
		if slices.Contains(g.Hosts, e) && s.now().Before(g.ExpiresAt) {
			return Decision{Allowed, "EgressApproval", g.ApprovalName}
		}
	}
	return Decision{Blocked, "KarsSandbox", fmt.Sprintf("%s:%d is not in the allowlist", e.Host, e.Port)}
}

func (s *State) tokens(n int64) Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if p := s.inference; p != nil && p.TokenBudget != nil && p.TokenBudget.PerRequestTokens > 0 && n > p.TokenBudget.PerRequestTokens {
		return Decision{BudgetExceeded, "InferencePolicy", fmt.Sprintf("%d tokens, at most %d a request", n, p.TokenBudget.PerRequestTokens)}
	}
	return Decision{Allowed, "InferencePolicy", ""}
}

// scope keeps an agent within the scope of its memory.
func (s *State) scope(scope string) Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch b := s.binding; {
	case b == nil:
		return Decision{Blocked, "KarsMemory", "no memory is bound"}
	case scope != "" && scope != b.Scope:
		return Decision{Blocked, "KarsMemory", fmt.Sprintf("scope %q is not that of the binding", scope)}
	}
	return Decision{Allowed, "KarsMemory", ""}
}

// permitted holds a model call to the action and the models of the policy. A call for another action, or that names another model, is
// refused; one that names none is left to the endpoint.
func (s *State) permitted(path string, call map[string]json.RawMessage) Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.inference
	if p == nil {
		return Decision{Allowed, "InferencePolicy", ""}
	}
	if action := actionOf(path); p.Action != "" && p.Action != "*" && p.Action != action {
		return Decision{Blocked, "InferencePolicy", fmt.Sprintf("the policy is for %s, and this is a call for %s", p.Action, action)}
	}
	if p.ModelPreference == nil || len(call["model"]) == 0 {
		return Decision{Allowed, "InferencePolicy", ""}
	}
	var model string
	if json.Unmarshal(call["model"], &model) != nil || !slices.Contains(append(p.ModelPreference.Fallback, p.ModelPreference.Primary),
		Model{model}) {
		return Decision{Blocked, "InferencePolicy", fmt.Sprintf("model %s is not one of the policy", call["model"])}
	}
	return Decision{Allowed, "InferencePolicy", ""}
}

// actionOf returns the action of a path of the interface of the models, by the words of InferencePolicy.
func actionOf(path string) string {
	for prefix, action := range map[string]string{"/v1/chat/": "chat", "/v1/responses": "responses", "/v1/images/": "image",
		"/v1/embeddings": "embeddings"} {
		if strings.HasPrefix(path, prefix) {
			return action
		}
	}
	return "others"
}
