// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// checkManaged returns an error for a kind that the options put under management and that cannot be managed.
func (o *Options) checkManaged() error {
	for _, gk := range o.Manage {
		k := o.Catalogs.Compiled.Kind(gk)
		switch {
		case k == nil: // a catalog of the cluster may declare it
		case len(k.Derivations) == 0:
			return fmt.Errorf("controller: manage %s: no condition of the kind is derived", gk)
		case k.Manager() != "" && k.Manager() != o.Manager:
			return fmt.Errorf("controller: manage %s: its catalog puts it under %q, and this is %q", gk, k.Manager(), o.Manager)
		}
	}
	return nil
}

// manages reports whether the controller writes the conditions of a kind: its catalog or the options ask for it.
func (o *Options) manages(k *catalog.Kind) bool {
	return k != nil && len(k.Derivations) > 0 && (k.Manager() == o.Manager || slices.Contains(o.Manage, k.For))
}

// adopts reports whether the controller takes derived types of a kind over from other managers.
func (o *Options) adopts(k *catalog.Kind) bool {
	return k.Adopts() && k.Manager() == o.Manager || slices.Contains(o.Adopt, k.For)
}

// managed is a set of catalogs as a controller uses it: the kinds that it manages, whole, and how the others are read.
type managed struct {
	*catalog.Set
	kinds   map[schema.GroupKind]bool               // that are managed
	watched []schema.GroupKind                      // and those that their relations lead to
	needs   map[schema.GroupKind][]schema.GroupKind // of each managed kind, those that its relations lead to
	refers  map[schema.GroupKind]bool               // managed kinds with a relation whose reference says the kind
}

// narrow reduces a set to what bears on managed kinds. Kinds that are not managed keep their conditions, so that these are read as
// declared. known holds the copies that were made before: an unchanged kind keeps its copy.
func narrow(set *catalog.Set, o *Options, known map[*catalog.Kind]*catalog.Kind) (managed, error) {
	out := managed{kinds: map[schema.GroupKind]bool{}, needs: map[schema.GroupKind][]schema.GroupKind{}, refers: map[schema.GroupKind]bool{}}
	watched := map[schema.GroupKind]bool{}
	var kept []*catalog.Kind
	for _, k := range set.Kinds() {
		manages := o.manages(k)
		if !manages && len(k.Declaration.Types) == 0 {
			continue
		}
		narrowed, versions := known[k], versionsOf(k, set)
		if narrowed == nil || !slices.Equal(narrowed.Versions, versions) {
			narrowed = reading(k, manages)
			narrowed.Versions = versions
			known[k] = narrowed
		}
		kept = append(kept, narrowed)
		if !manages {
			continue
		}
		out.kinds[k.For], watched[k.For] = true, true
		for _, l := range narrowed.Relations {
			if l.Target.Kind != "" {
				watched[l.Target] = true
				out.needs[k.For] = append(out.needs[k.For], l.Target)
			} else {
				out.refers[k.For] = true
			}
		}
	}
	maps.DeleteFunc(known, func(_, narrowed *catalog.Kind) bool { return !slices.Contains(kept, narrowed) })
	var err error
	out.Set, err = catalog.NewSet(kept...)
	out.watched = slices.SortedFunc(maps.Keys(watched), compareKinds)
	return out, err
}

// versionsOf returns the versions for which a controller uses a catalog: its versions, and each version of managed unless another catalog
// declares conditions for it.
func versionsOf(k *catalog.Kind, set *catalog.Set) []string {
	return slices.DeleteFunc(k.Written(), func(version string) bool {
		other := set.Of(k.For.WithVersion(version))
		return other != nil && other != k && len(other.Declaration.Types) > 0
	})
}

// reading returns a copy of a catalog with the inputs of its derived conditions, or, where they are not managed, without them.
func reading(k *catalog.Kind, manages bool) *catalog.Kind {
	narrowed := *k
	narrowed.Verdicts, narrowed.Relations, narrowed.Alike = nil, nil, nil
	if !manages {
		narrowed.Derivations, narrowed.Variables, narrowed.Paused = nil, nil, nil
		return &narrowed
	}
	derives, pauses := k.DerivesFrom(), k.PausedBy()
	for _, l := range k.Relations {
		if derives[l.Name] || pauses[l.Name] {
			narrowed.Relations = append(narrowed.Relations, l)
		}
	}
	return &narrowed
}

// refused counts the objects that are not written because another manager holds their derived conditions, by kind.
func (c *Controller) refused() map[schema.GroupKind]int {
	out := c.rivals.Counts()
	set := c.inForce()
	for gk := range out {
		if k := set.Kind(gk); k == nil || c.options.adopts(k) {
			delete(out, gk)
		}
	}
	return out
}
