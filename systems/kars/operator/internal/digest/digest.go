// SPDX-License-Identifier: Apache-2.0

package digest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
)

// The kinds of artifacts that a router reports, each with the name that goes into its digest.
const (
	AgtProfile      = "AgtProfile"
	InferencePolicy = "InferencePolicy"
	Memory          = "Memory"
	EgressAllowlist = "EgressAllowlist"
	EgressApproval  = "EgressApproval"
	AgentCard       = "AgentCard"
)

// Names are the file names that artifacts are published under, by kind; the digest includes them.
var Names = map[string]string{
	AgtProfile:      "agt-profile.yaml",
	InferencePolicy: "inference-policy.json",
	Memory:          "binding.json",
	EgressAllowlist: "allowlist.json",
	EgressApproval:  "merged-allowlist.json",
	AgentCard:       "agent.json",
}

// Of returns the digest of an artifact of a kind.
func Of(kind string, body []byte) string {
	h := sha256.New()
	name := Names[kind]
	var n [8]byte
	for _, part := range [][]byte{[]byte(name), body} {
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Version returns the short hash of compiled JSON: the first 16 bytes of its SHA-256.
func Version(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// Endpoint is a normalized destination.
type Endpoint struct {
	Host string `json:"host"`
	Port int32  `json:"port"`
}

// allowlist is the published form of a list of destinations, in the order of its keys.
type allowlist struct {
	SchemaVersion int        `json:"schemaVersion"`
	Endpoints     []Endpoint `json:"endpoints"`
}

// Normalize trims, lower-cases, sorts and deduplicates lists of destinations; port 443 is the default, blank hosts are dropped.
func Normalize(lists ...[]api.Endpoint) []Endpoint {
	out := []Endpoint{}
	for _, list := range lists {
		for _, e := range list {
			if host := strings.ToLower(strings.TrimSpace(e.Host)); host != "" {
				out = append(out, Endpoint{host, cmp.Or(e.Port, 443)})
			}
		}
	}
	return Merge(out)
}

// Merge returns the union of normalized lists.
func Merge(lists ...[]Endpoint) []Endpoint {
	out := slices.Concat(lists...)
	slices.SortFunc(out, func(a, b Endpoint) int { return cmp.Or(strings.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port)) })
	if out = slices.Compact(out); out == nil {
		out = []Endpoint{}
	}
	return out
}

// Allowlist returns the published form of normalized destinations.
func Allowlist(endpoints []Endpoint) []byte {
	if endpoints == nil {
		endpoints = []Endpoint{}
	}
	out, err := json.Marshal(allowlist{1, endpoints})
	if err != nil { // strings and numbers only
		panic("digest: allowlist cannot be encoded: " + err.Error())
	}
	return out
}

// ParseAllowlist reads the output of [Allowlist].
func ParseAllowlist(body []byte) ([]Endpoint, error) {
	var list allowlist
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	return Merge(list.Endpoints), nil
}

// Grant is the published form of a grant.
type Grant struct {
	SchemaVersion int        `json:"schemaVersion"`
	ApprovalName  string     `json:"approvalName"`
	Sandbox       string     `json:"sandbox"`
	Hosts         []Endpoint `json:"hosts"`
	Reason        string     `json:"reason"`
	Ticket        string     `json:"ticket,omitempty"`
	EffectiveAt   time.Time  `json:"effectiveAt"`
	ExpiresAt     time.Time  `json:"expiresAt"`
}
