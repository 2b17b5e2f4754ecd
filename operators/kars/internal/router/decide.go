// SPDX-License-Identifier: Apache-2.0

package router

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/operators/kars/internal/digest"
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
