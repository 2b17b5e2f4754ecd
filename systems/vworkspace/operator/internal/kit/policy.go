// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/window"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// The catalog policy is the ConfigMap of this name in the operator's namespace.
const (
	PolicyName = "vworkspace-catalog-policy"
	PolicyKey  = "policy.yaml"
)

// Policy is the catalog's policy for applications.
//
//	allowedSources: ["oci://registry.example.com/charts"]      # prefixes up to a slash; none: all
//	applications:
//	- catalogId: odoo                                          # "*": every application
//	  approvalRequired: true
//	  deniedVersions: ["17.0.1"]
//	  maintenanceWindows:
//	  - {schedule: "0 2 * * 6", duration: 2h, timeZone: Europe/Berlin}
//	  deprecatedValues:
//	  - {key: web.host, use: ingress.host}                     # a chart value that is warned about
//	concurrentOperations: [[RunCommand, "*"]]                  # types that may run at a time on one target; none: no two do
type Policy struct {
	AllowedSources       []string            `json:"allowedSources,omitempty"`
	Applications         []ApplicationPolicy `json:"applications,omitempty"`
	ConcurrentOperations [][2]string         `json:"concurrentOperations,omitempty"`
}

// ApplicationPolicy is the catalog's policy for one application.
type ApplicationPolicy struct {
	CatalogID          string            `json:"catalogId"`
	ApprovalRequired   bool              `json:"approvalRequired,omitempty"`
	DeniedVersions     []string          `json:"deniedVersions,omitempty"`
	MaintenanceWindows []window.Spec     `json:"maintenanceWindows,omitempty"`
	DeprecatedValues   []DeprecatedValue `json:"deprecatedValues,omitempty"`
}

// DeprecatedValue is a key of chart values that should be replaced.
type DeprecatedValue struct {
	Key string `json:"key"` // with dots between its parts
	Use string `json:"use,omitempty"`
}

// Rules are those of one application.
type Rules struct {
	ApprovalRequired bool
	DeniedVersions   []string
	Windows          []window.Window
	Deprecated       []DeprecatedValue
}

// ParsePolicy reads a policy; every mistake is an error, since a rule that is not understood must not count as none.
func ParsePolicy(data []byte) (*Policy, error) {
	var p Policy
	if err := yaml.UnmarshalStrict(data, &p); err != nil {
		return nil, err
	}
	for i, a := range p.Applications {
		if a.CatalogID == "" {
			return nil, fmt.Errorf("applications[%d] has no catalogId", i)
		}
		for j, s := range a.MaintenanceWindows {
			if _, err := window.Parse(s); err != nil {
				return nil, fmt.Errorf("applications[%d].maintenanceWindows[%d]: %w", i, j, err)
			}
		}
		for j, d := range a.DeprecatedValues {
			if d.Key == "" {
				return nil, fmt.Errorf("applications[%d].deprecatedValues[%d] has no key", i, j)
			}
		}
	}
	return &p, nil
}

// Of returns the rules of an application: those of its own and of "*" together.
func (p *Policy) Of(catalogID string) Rules {
	var r Rules
	for _, a := range p.Applications {
		if a.CatalogID != catalogID && a.CatalogID != "*" {
			continue
		}
		r.ApprovalRequired = r.ApprovalRequired || a.ApprovalRequired
		r.DeniedVersions = append(r.DeniedVersions, a.DeniedVersions...)
		r.Deprecated = append(r.Deprecated, a.DeprecatedValues...)
		for _, s := range a.MaintenanceWindows {
			if w, err := window.Parse(s); err == nil { // ParsePolicy has checked it
				r.Windows = append(r.Windows, w)
			}
		}
	}
	return r
}

// Allows reports whether charts may come from a URL.
func (p *Policy) Allows(url string) bool {
	return len(p.AllowedSources) == 0 || slices.ContainsFunc(p.AllowedSources, func(prefix string) bool {
		prefix = strings.TrimSuffix(prefix, "/")
		return url == prefix || strings.HasPrefix(url, prefix+"/")
	})
}

// Policies reads the catalog policy from the cache and parses it when it changes.
type Policies struct {
	Client    client.Reader
	Namespace string

	mu     sync.Mutex
	text   []byte
	policy *Policy
	err    error
}

// Get returns the policy; an empty one where there is none.
func (p *Policies) Get(ctx context.Context) (*Policy, error) {
	var object corev1.ConfigMap
	if err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: PolicyName}, &object); client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	text := []byte(object.Data[PolicyKey])
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.policy == nil && p.err == nil || !bytes.Equal(text, p.text) {
		p.text = text
		p.policy, p.err = ParsePolicy(text)
	}
	if p.err != nil {
		return nil, &PolicyError{p.err}
	}
	return cmp.Or(p.policy, &Policy{}), nil
}

// PolicyError is a policy that cannot be read.
type PolicyError struct{ err error }

// Error names the object.
func (e *PolicyError) Error() string {
	return fmt.Sprintf("the catalog policy %s is not valid: %v", PolicyName, e.err)
}
