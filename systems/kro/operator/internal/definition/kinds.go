// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"sync"

	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Served is the graph and the declaration by which the instances of a kind are reconciled.
type Served struct {
	Definition string // its name
	Generation int64  // of the definition, by which the graph was built
	Declared   *declare.Kind
	Graph      *graph.Graph // nil: Problem says why there is none
	Problem    string       // why the current generation is not accepted; empty: it is
	Final      bool         // the problem needs a person
	Missing    bool         // the definition does not exist, or makes another kind
	Namespaced bool         // the kind is
}

// Kinds are the kinds that are served. The zero value is ready to use, by any number of goroutines.
type Kinds struct {
	// Changed is called when the instances of a definition say something else; set before use.
	Changed func(definition string)

	mu      sync.RWMutex
	m       map[schema.GroupVersionResource]*Served
	tallies map[schema.GroupVersionResource]*tally
}

// Get returns by what the instances of a kind are reconciled; nil if they are not.
func (k *Kinds) Get(gvr schema.GroupVersionResource) *Served {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.m[gvr]
}

// set stores by what the instances of a kind are reconciled, and reports whether that is new. A kind that another definition took over does
// not become one whose definition is missing.
func (k *Kinds) set(gvr schema.GroupVersionResource, s *Served) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil {
		k.m = map[schema.GroupVersionResource]*Served{}
	}
	old := k.m[gvr]
	if old != nil && s.Missing && old.Definition != s.Definition {
		return false
	}
	if old != nil && old.Definition == s.Definition && old.Graph == s.Graph && old.Problem == s.Problem && old.Generation == s.Generation {
		return false
	}
	k.m[gvr] = s
	if t := k.tallies[gvr]; t != nil { // every instance is reconciled again
		for key := range t.said {
			t.said[key] = said{}
		}
	}
	return true
}

// of returns the kinds of a definition.
func (k *Kinds) of(definition string) []schema.GroupVersionResource {
	k.mu.RLock()
	defer k.mu.RUnlock()
	var out []schema.GroupVersionResource
	for gvr, s := range k.m {
		if s.Definition == definition {
			out = append(out, gvr)
		}
	}
	return out
}

// drop removes a kind.
func (k *Kinds) drop(gvr schema.GroupVersionResource) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.m, gvr)
	delete(k.tallies, gvr)
	metrics.DeleteGVRMetrics(gvr)
}
