// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"bytes"
	"context"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Catalogs are the ConditionCatalog objects of a cluster, which may change while it is followed. The functions are called by one goroutine
// at a time.
type Catalogs struct {
	Type string                   // of the objects
	Take func(cluster.Event) bool // false for a state
	// Load returns the catalogs in use, and whether they are others than after the last call.
	Load func() (set *catalog.Set, changed bool)
}

// reload uses the catalogs of now, and marks what has to be judged again. It returns the kinds whose catalogs are others than before, for
// [Source.reread].
func (s *Source) reload() map[schema.GroupKind]bool {
	if !s.recatalog {
		return nil
	}
	s.recatalog = false
	before := s.Graph.Set()
	set, changed := s.Catalogs.Load()
	if !changed {
		return nil
	}
	s.Graph.Use(set)
	s.walk.Renew(s.Judge())
	s.roots.Again()
	s.blame.stale = true
	s.rediscover = true // a kind may have rows because it has a catalog
	others := map[schema.GroupKind]bool{}
	for _, one := range []*catalog.Set{before, set} {
		for _, k := range one.Kinds() {
			others[k.For] = others[k.For] || !same(before.Kind(k.For), set.Kind(k.For))
		}
	}
	return others
}

// same reports whether two catalogs declare the same.
func same(a, b *catalog.Kind) bool {
	if a == nil || b == nil {
		return a == b
	}
	one, err := a.Source.YAML()
	if err != nil {
		return false
	}
	two, err := b.Source.YAML()
	return err == nil && bytes.Equal(one, two)
}

// reread judges the objects of some kinds that a light source does not keep. The server is asked for them; what it sends meanwhile is
// handled later, so that an older state never stays.
func (s *Source) reread(ctx context.Context, kinds map[schema.GroupKind]bool) {
	if !s.Light || len(kinds) == 0 {
		return
	}
	var queries []cluster.Query
	for q := range s.followed {
		if m, err := s.Cluster.Kind(q.Type); err == nil && kinds[m.GroupVersionKind.GroupKind()] {
			queries = append(queries, q)
		}
	}
	s.Cluster.NamedAtOnce(ctx, queries, func(o *relation.Object) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.mine(o.ID) && !s.roots.Has(o.ID) {
			s.renew()
			s.put(o, s.walk.Judgement(o))
		}
	})
}
