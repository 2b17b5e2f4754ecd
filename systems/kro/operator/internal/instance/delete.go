// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// end deletes the resources of an instance that is being deleted, one wave at a time. It reports whether all of them are gone.
func (p *pass) end(f *Facts) bool {
	f.Deleting, f.Going = true, "the resources are being deleted"
	if err := applyset.ValidateParentInventory(p.instance); err != nil {
		f.Blocked = &Trouble{true, err.Error()}
		return false
	}
	inventory, err := p.set(true).Project(nil)
	if err != nil {
		f.Blocked = &Trouble{true, err.Error()}
		return false
	}
	found, err := p.set(true).ListOrphans(p.ctx, applyset.PruneOptions{KeepUIDs: sets.New[types.UID](), Scope: inventory.PruneScope()})
	if err != nil {
		f.Blocked = &Trouble{definition.Final(err), child.Reason(err)}
		return false
	}
	if len(found) == 0 {
		return true
	}
	wave, order := last(found)
	for i, c := range wave { // each change of one of them continues the deletion
		request := dynamiccontroller.WatchRequest{NodeID: "deletion-" + strconv.Itoa(i), GVR: c.GVR, Name: c.Object.GetName(),
			Namespace: c.Object.GetNamespace()}
		if err := p.watcher.Watch(request); err != nil {
			p.Log.Error(err, "cannot watch", "object", name(c.Object))
		}
	}
	if err := p.remove(wave); err != nil {
		f.Blocked = &Trouble{definition.Final(err), child.Reason(err)}
		return false
	}
	f.Going = fmt.Sprintf("deleting wave %d: %s", order, names(wave))
	return false
}

// last returns the objects that were applied last, which are deleted first, and their apply order. Objects without an order are deleted at
// the end.
func last(found []applyset.OrphanCandidate) ([]applyset.OrphanCandidate, int) {
	order := func(c applyset.OrphanCandidate) int {
		n, err := strconv.Atoi(c.Object.GetAnnotations()[metadata.ApplyOrderAnnotation])
		if err != nil {
			return 0
		}
		return max(n, 0)
	}
	highest := order(slices.MaxFunc(found, func(a, b applyset.OrphanCandidate) int { return order(a) - order(b) }))
	return slices.DeleteFunc(slices.Clone(found), func(c applyset.OrphanCandidate) bool { return order(c) != highest }), highest
}

// remove deletes one wave of objects, except those that are being deleted already. It releases those that the instance did not create.
func (p *pass) remove(found []applyset.OrphanCandidate) error {
	wave, _ := last(found)
	for _, c := range wave {
		made, err := p.made(c.Object)
		if err == nil && !made {
			err = p.release(c)
		}
		if err != nil {
			return fmt.Errorf("release %s: %w", name(c.Object), err)
		}
		if !made || c.Object.GetDeletionTimestamp() != nil {
			continue
		}
		if _, err := p.set(true).DeleteOrphan(p.ctx, c); err != nil {
			return fmt.Errorf("delete %s: %w", name(c.Object), err)
		}
		p.created.Delete(c.Object.GetUID())
	}
	return nil
}

// names lists up to three objects for a message, and counts the others.
func names(found []applyset.OrphanCandidate) string {
	out := make([]string, 0, len(found))
	for _, c := range found {
		out = append(out, name(c.Object))
	}
	slices.Sort(out)
	if more := len(out) - 3; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(out[:3], ", "), more)
	}
	return strings.Join(out, ", ")
}
