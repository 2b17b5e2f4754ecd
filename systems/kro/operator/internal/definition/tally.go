// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// tally is what the instances of a kind said last.
type tally struct {
	said   map[types.NamespacedName]said
	listed time.Time // when the instances were listed last
	told   bool      // the definition is to be judged again
}

// said is what an instance said. The zero value is of one that has not been reconciled by the present definition.
type said struct {
	status conditions.Status
	text   string
}

// Tally counts the instances of a kind.
type Tally struct {
	Total, Ready int
	Pending      []string // not reconciled by the present definition yet
	Waiting      []string // whose resources are not all ready, with the reason
	Failed       []string // that need a person, with the reason
}

// Report notes what a pass by s says of the resources of an instance: a condition, positive as they all are. Where that is new, the
// definition is judged again. A pass that began before the present s counts for nothing: every instance is reconciled again.
func (k *Kinds) Report(gvr schema.GroupVersionResource, s *Served, key types.NamespacedName, c conditions.Condition) {
	text := ""
	if c.Status != conditions.True {
		text = c.Reason
		if c.Message != "" {
			text += ": " + c.Message
		}
	}
	k.tell(gvr, func(t *tally) bool {
		if k.m[gvr] != s {
			return false
		}
		old, known := t.said[key]
		now := said{c.Status, text}
		t.said[key] = now
		return !known || old != now
	})
}

// Forget notes that an instance is gone, or goes.
func (k *Kinds) Forget(gvr schema.GroupVersionResource, key types.NamespacedName) {
	k.tell(gvr, func(t *tally) bool {
		_, known := t.said[key]
		delete(t.said, key)
		return known
	})
}

// tell changes a tally, and has the definition judged again if that is new.
func (k *Kinds) tell(gvr schema.GroupVersionResource, change func(*tally) bool) {
	k.mu.Lock()
	t, s := k.tallies[gvr], k.m[gvr]
	if t == nil || s == nil || !change(t) || t.told || k.Changed == nil {
		k.mu.Unlock()
		return
	}
	t.told = true
	k.mu.Unlock()
	k.Changed(s.Definition)
}

// listed notes which instances of a kind exist: those that are new have not been reconciled.
func (k *Kinds) listed(gvr schema.GroupVersionResource, keys []types.NamespacedName, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var old map[types.NamespacedName]said
	if t := k.tallies[gvr]; t != nil {
		old = t.said
	}
	next := map[types.NamespacedName]said{}
	for _, key := range keys {
		next[key] = old[key]
	}
	if k.tallies == nil {
		k.tallies = map[schema.GroupVersionResource]*tally{}
	}
	k.tallies[gvr] = &tally{said: next, listed: now}
}

// count reads the tally of a kind, and when its instances were listed. The next new report wakes the definition again.
func (k *Kinds) count(gvr schema.GroupVersionResource) (out Tally, listed time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.tallies[gvr]
	if t == nil {
		return Tally{}, time.Time{}
	}
	t.told = false
	keys := slices.SortedFunc(maps.Keys(t.said), func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, key := range keys {
		name := key.Name
		if key.Namespace != "" {
			name = key.String()
		}
		switch s := t.said[key]; s.status {
		case conditions.True:
			out.Ready++
		case conditions.False:
			out.Failed = append(out.Failed, name+": "+s.text)
		case conditions.Unknown:
			out.Waiting = append(out.Waiting, name+": "+s.text)
		default:
			out.Pending = append(out.Pending, name)
		}
	}
	out.Total = len(keys)
	return out, t.listed
}

// first returns the first of some instances, and the number of the others.
func first(of []string) string {
	if len(of) == 1 {
		return of[0]
	}
	return fmt.Sprintf("%s (and %d more)", of[0], len(of)-1)
}
