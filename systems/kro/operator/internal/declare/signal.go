// SPDX-License-Identifier: Apache-2.0

package declare

import (
	"fmt"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"sigs.k8s.io/yaml"
)

// Annotation declares the custom conditions of a definition, in spec.schema.metadata.annotations.
const Annotation = "tristate.dev/conditions"

// Custom is the declaration of one custom condition.
type Custom struct {
	Type string `json:"type"`
	// Role is dependent (it counts in Ready) or informational; empty: informational.
	Role string `json:"role,omitempty"`
	// Polarity is positive (True is good) or negative; empty: positive.
	Polarity string `json:"polarity,omitempty"`
	// Meaning of the good status, one sentence. Optional.
	Meaning string `json:"meaning,omitempty"`
}

// ParseCustom reads the value of [Annotation]. Unknown keys, types that the API server refuses, and types that are declared twice are
// errors.
func ParseCustom(text string) ([]Custom, error) {
	var out []Custom
	if err := yaml.UnmarshalStrict([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("annotation %s: %w", Annotation, err)
	}
	seen := map[string]bool{}
	for i := range out {
		c := &out[i]
		switch {
		case !wire.ValidType(c.Type):
			return nil, fmt.Errorf("annotation %s: entry %d: %q is no condition type", Annotation, i+1, c.Type)
		case own[c.Type]:
			return nil, fmt.Errorf("annotation %s: entry %d: %s is kept by kro; declare %s instead", Annotation, i+1, c.Type, Renamed(c.Type))
		case seen[c.Type]:
			return nil, fmt.Errorf("annotation %s: entry %d: %s is declared twice", Annotation, i+1, c.Type)
		}
		seen[c.Type] = true
		switch conditions.Role(c.Role) {
		case "":
			c.Role = string(conditions.RoleInformational)
		case conditions.RoleDependent, conditions.RoleInformational:
		default:
			return nil, fmt.Errorf("annotation %s: %s: role %q is neither dependent nor informational", Annotation, c.Type, c.Role)
		}
		switch conditions.Polarity(c.Polarity) {
		case "":
			c.Polarity = string(conditions.Positive)
		case conditions.Positive, conditions.Negative:
		default:
			return nil, fmt.Errorf("annotation %s: %s: polarity %q is neither positive nor negative", Annotation, c.Type, c.Polarity)
		}
	}
	return out, nil
}

// ReadinessAnnotation chooses the readiness of the instances of a definition, in spec.schema.metadata.annotations; without it the
// operator's applies.
const ReadinessAnnotation = "tristate.dev/readiness"

// Readiness says how an object counts whose controller says nothing, or that is switched off.
type Readiness string

// The values of [Readiness].
const (
	Strict Readiness = "strict" // it is waited for
	AsKro  Readiness = "kro"    // it is ready, as with kro
)

// ParseReadiness reads strict or kro.
func ParseReadiness(text string) (Readiness, error) {
	if r := Readiness(text); r == Strict || r == AsKro {
		return r, nil
	}
	return "", fmt.Errorf("readiness %q is neither %s nor %s", text, Strict, AsKro)
}
