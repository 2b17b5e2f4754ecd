// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"sigs.k8s.io/yaml"
)

// Allowlist is the canonical form of an artifact with destinations: YAML with sorted keys, sorted and deduplicated endpoints, lower-case
// hosts without wildcards and a generation above zero, byte for byte.
type Allowlist struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   AllowlistMetadata `json:"metadata"`
	Spec       AllowlistSpec     `json:"spec"`
}

// AllowlistMetadata has the generation of an artifact.
type AllowlistMetadata struct {
	Generation int64 `json:"generation"`
}

// AllowlistSpec has its destinations.
type AllowlistSpec struct {
	Endpoints []digest.Endpoint `json:"endpoints"`
}

// NewAllowlist returns the canonical bytes for destinations.
func NewAllowlist(generation int64, endpoints []digest.Endpoint) ([]byte, error) {
	return yaml.Marshal(Allowlist{"kars.dev/v1alpha1", "EgressAllowlist", AllowlistMetadata{generation},
		AllowlistSpec{digest.Merge(endpoints)}})
}

// ParseAllowlist reads the canonical form and nothing else.
func ParseAllowlist(content []byte) (Allowlist, *Failure) {
	var list Allowlist
	if err := yaml.UnmarshalStrict(content, &list); err != nil {
		return list, failf(CanonicalFormViolation, "it is no allowlist")
	}
	bad := func(e digest.Endpoint) bool {
		return e.Host == "" || e.Host != strings.ToLower(strings.TrimSpace(e.Host)) || strings.Contains(e.Host, "*") || e.Port < 1 ||
			e.Port > 65535
	}
	if list.Metadata.Generation < 1 || slices.ContainsFunc(list.Spec.Endpoints, bad) {
		return list, failf(CanonicalFormViolation, "a generation, host or port is not allowed")
	}
	canonical, err := NewAllowlist(list.Metadata.Generation, list.Spec.Endpoints)
	if err != nil || !bytes.Equal(canonical, content) {
		return list, failf(CanonicalFormViolation, "it is not in canonical form")
	}
	return list, nil
}
