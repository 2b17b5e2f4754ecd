// SPDX-License-Identifier: Apache-2.0

package a2aagent

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
)

// ProtocolVersion is that of the agent cards.
const ProtocolVersion = "1.2"

// card is the document that other agents read.
type card struct {
	ProtocolVersion string               `json:"protocolVersion"`
	ID              string               `json:"id"`
	Name            string               `json:"name"`
	Description     string               `json:"description,omitempty"`
	URL             string               `json:"url"`
	Capabilities    []string             `json:"capabilities,omitempty"`
	SigningKeys     []api.SigningKey     `json:"signingKeys"`
	Trust           *api.A2ATrust        `json:"trust,omitempty"`
	Federation      []api.FederationPeer `json:"federation,omitempty"`
	ProductionMode  bool                 `json:"productionMode,omitempty"`
}

// Card returns the agent card of an agent as JSON.
func Card(o *api.A2AAgent) string {
	c := card{ProtocolVersion: ProtocolVersion, ID: o.Namespace + "/" + o.Name, Name: o.Spec.DisplayName, Description: o.Spec.Description,
		URL:          o.Spec.EndpointURL,
		Capabilities: o.Spec.Capabilities, SigningKeys: o.Spec.SigningKeys, Trust: o.Spec.Trust, Federation: o.Spec.Federation,
		ProductionMode: o.Spec.ProductionMode}
	if c.Name == "" {
		c.Name = o.Name
	}
	out, err := json.Marshal(c)
	if err != nil { // strings, numbers and times only
		panic("a2aagent: card cannot be encoded: " + err.Error())
	}
	return string(out)
}

// Check returns the problems of a spec, and when the next key ends.
func Check(spec api.A2AAgentSpec, now time.Time) (problems []string, next time.Time) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if at, err := url.Parse(spec.EndpointURL); err != nil || at.Host == "" {
		add("endpointUrl is not a URL")
	} else if spec.ProductionMode && at.Scheme != "https" {
		add("endpointUrl is not https, which productionMode demands")
	}
	if len(spec.SigningKeys) == 0 {
		add("signingKeys is empty")
	}
	seen, live := map[string]bool{}, 0
	for i, k := range spec.SigningKeys {
		key, err := base64.RawURLEncoding.DecodeString(k.PublicKeyB64u)
		switch {
		case k.Alg != "" && k.Alg != "EdDSA":
			add("signingKeys[%d].alg is not EdDSA", i)
		case k.Kid == "" || seen[k.Kid]:
			add("signingKeys[%d].kid %q is empty or there twice", i, k.Kid)
		case err != nil || len(key) != ed25519.PublicKeySize:
			add("signingKeys[%d].publicKeyB64u is not an Ed25519 public key", i)
		}
		seen[k.Kid] = true
		if k.NotAfter == nil || now.Before(k.NotAfter.Time) {
			live++
		}
		if k.NotAfter != nil && now.Before(k.NotAfter.Time) && (next.IsZero() || k.NotAfter.Time.Before(next)) {
			next = k.NotAfter.Time
		}
	}
	if len(spec.SigningKeys) > 0 && live == 0 {
		add("every signing key has ended")
	}
	for i, peer := range spec.Federation {
		inside, outside := peer.AgentRef != nil, peer.EndpointURL != "" || peer.PinnedKid != ""
		switch {
		case peer.Kind == "in-cluster" && (!inside || outside):
			add("federation[%d] is in-cluster: it has agentRef and nothing else", i)
		case peer.Kind == "external" && (inside || peer.EndpointURL == "" || peer.PinnedKid == ""):
			add("federation[%d] is external: it has endpointUrl and pinnedKid and nothing else", i)
		}
	}
	return problems, next
}
