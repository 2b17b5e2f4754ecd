// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/controller/instance/applyset"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// set returns the apply set of the instance. Without remembers it does not have the former kinds and namespaces.
func (p *pass) set(remembers bool) *applyset.ApplySet {
	parent := p.instance
	if !remembers {
		parent = parent.DeepCopy()
		parent.SetAnnotations(nil)
	}
	return applyset.New(applyset.Config{Client: p.Client, RESTMapper: p.Mapper, Log: p.Log, ParentNamespace: p.instance.GetNamespace()},
		parent)
}

// sync applies the resources, and prunes objects that are no longer part of the graph. A resource that waits for the fields of others is
// evaluated again once they are applied, so that a chain of resources needs one pass and not one for each link.
func (p *pass) sync(f *Facts) {
	untouched := !metadata.HasInstanceFinalizer(p.instance) && p.instance.GetAnnotations()[applyset.ApplySetGKsAnnotation] == ""
	inventory := p.wave(f, p.nodes)
	for f.Managed == nil {
		waiting := slices.DeleteFunc(slices.Clone(p.nodes), func(n *node) bool { return n.fact.Waiting == "" })
		if !p.further() {
			break
		}
		inventory = p.wave(f, waiting)
	}
	if f.Managed != nil || slices.ContainsFunc(p.nodes, func(n *node) bool {
		return !n.resolved || n.fact.Apply != nil || n.fact.Broken != "" || going(n.observed)
	}) {
		return
	}
	p.prune(f, inventory, untouched)
}

// wave applies the objects of some resources, once the inventory of the instance has their kinds, and returns that inventory.
func (p *pass) wave(f *Facts, nodes []*node) applyset.Metadata {
	inventory, err := p.set(true).Project(p.items(p.nodes))
	if err != nil {
		f.Managed = &Trouble{errors.Is(err, applyset.ErrDuplicateResource), err.Error()}
		return inventory
	}
	for _, n := range p.nodes { // one write for the kinds of all waves
		if !n.resolved && !n.fact.External {
			inventory.GroupKinds.Insert(n.Spec.Template.GroupVersionKind().GroupKind())
		}
	}
	if err := p.manage(inventory); err != nil {
		f.Managed = &Trouble{definition.Final(err), child.Reason(err)}
		return inventory
	}
	p.apply(nodes)
	return inventory
}

// items returns the objects to be applied of some resources.
func (p *pass) items(nodes []*node) (out []applyset.Resource) {
	for _, n := range nodes {
		out = append(out, n.items...)
	}
	return out
}

// manage sets the finalizer, the labels and the inventory of the instance with one request, if they differ.
func (p *pass) manage(inventory applyset.Metadata) error {
	want := maps.Clone(map[string]string(metadata.NewKROMetaLabeler()))
	want[metadata.ResourceGraphDefinitionNameLabel] = p.definition(p.instance)
	maps.Copy(want, inventory.Labels())
	notes := inventory.Annotations()
	if metadata.HasInstanceFinalizer(p.instance) && has(p.instance.GetLabels(), want) && has(p.instance.GetAnnotations(), notes) {
		return nil
	}
	patch := &unstructured.Unstructured{}
	patch.SetGroupVersionKind(p.instance.GroupVersionKind())
	patch.SetName(p.instance.GetName())
	patch.SetNamespace(p.instance.GetNamespace())
	patch.SetUID(p.instance.GetUID())
	patch.SetLabels(want)
	patch.SetAnnotations(notes)
	metadata.SetInstanceFinalizer(patch)
	stored, err := p.own(p.instance.GetNamespace()).Apply(p.ctx, p.instance.GetName(), patch,
		metav1.ApplyOptions{FieldManager: definition.Manager + "-parent", Force: true})
	if err != nil {
		return err
	}
	p.instance.SetLabels(stored.GetLabels())
	p.instance.SetAnnotations(stored.GetAnnotations())
	p.instance.SetFinalizers(stored.GetFinalizers())
	p.instance.SetResourceVersion(stored.GetResourceVersion())
	return nil
}

func has(have, want map[string]string) bool {
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}

// apply applies the objects of some resources that differ from the stored ones.
func (p *pass) apply(nodes []*node) {
	var stale []applyset.Resource
	results := map[string]applyset.ApplyResultItem{}
	now := p.Now()
	for _, item := range p.items(nodes) {
		if err := p.claim(item); err != nil {
			results[item.ID] = applyset.ApplyResultItem{ID: item.ID, Error: err}
			continue
		}
		mark(item.Object)
		if item.Current == nil {
			item.Object.SetResourceVersion(onlyNew)
		}
		if current(item, applyset.ID(p.instance)) {
			continue
		}
		if edited(item) {
			free, contested := p.contests.correct(item.Current.GetUID(), now)
			if contested {
				results[item.ID] = applyset.ApplyResultItem{ID: item.ID,
					Error: &contestError{name(item.Object), differs(item.Object.Object, item.Current.Object, "")}}
			}
			if !free {
				continue
			}
		}
		stale = append(stale, item)
	}
	if len(stale) > 0 {
		result, _, err := p.set(true).Apply(p.ctx, stale, applyset.ApplyMode{Concurrency: 4})
		for id, item := range result.ByID() {
			if results[id].Error == nil {
				results[id] = item
			}
		}
		if err != nil {
			for _, item := range stale {
				results[item.ID] = applyset.ApplyResultItem{ID: item.ID, Error: err}
			}
		}
	}
	for _, n := range nodes {
		for i, item := range n.items {
			out, sent := results[item.ID]
			switch {
			case !sent:
			case out.Error != nil:
				n.fact.Apply = p.trouble(out.Error)
			case out.Observed != nil:
				n.replace(item.Current, out.Observed)
				n.items[i].Current = out.Observed
			}
		}
		if n.fact.Apply == nil && len(n.items) > 0 && !going(n.observed) {
			n.SetObserved(n.observed)
		}
	}
}

// replace replaces a stored object with the result of its apply.
func (n *node) replace(old, fresh *unstructured.Unstructured) {
	if i := slices.Index(n.observed, old); old != nil && i >= 0 {
		n.observed[i] = fresh
		return
	}
	n.observed = append(n.observed, fresh)
}

// Patience is how long a resource may wait for something that does not exist, such as its namespace, before it counts as failed.
const Patience = 2 * time.Minute

// trouble classifies the error of an apply. Something that does not exist is waited for during [Patience].
func (p *pass) trouble(err error) *Trouble {
	final := definition.Final(err) || errors.Is(err, applyset.ErrApplySetConflict) || errors.As(err, new(*contestError)) ||
		errors.As(err, new(*foreignError))
	if apierrors.IsNotFound(err) {
		final = p.late
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		final = false
	}
	return &Trouble{final, child.Reason(err)}
}

// late reports whether resources have been waiting to be applied for longer than [Patience].
func late(stored []conditions.Condition, now time.Time) bool {
	i := conditions.Find(stored, declare.InstanceSynced)
	return i >= 0 && stored[i].Status != conditions.True && now.Sub(stored[i].LastTransitionTime.Time) > Patience
}

// mark annotates an object with the hash of its content, so that removing a field from a template makes a difference.
func mark(o *unstructured.Unstructured) {
	annotations := o.GetAnnotations()
	delete(annotations, definition.AnnotationHash)
	o.SetAnnotations(annotations)
	data, err := json.Marshal(o.Object)
	if err != nil {
		return // the apply fails with the same error
	}
	sum := sha256.Sum256(data)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[definition.AnnotationHash] = hex.EncodeToString(sum[:16])
	o.SetAnnotations(annotations)
}

// current reports whether an apply to the set of that id would not change the stored object.
func current(r applyset.Resource, id string) bool {
	return r.Current != nil && r.Current.GetLabels()[applyset.ApplysetPartOfLabel] == id &&
		r.Current.GetAnnotations()[definition.AnnotationHash] == r.Object.GetAnnotations()[definition.AnnotationHash] &&
		within(r.Object.Object, r.Current.Object)
}

// edited reports whether another writer changed the object since this content was applied.
func edited(r applyset.Resource) bool {
	return r.Current != nil && r.Current.GetAnnotations()[definition.AnnotationHash] == r.Object.GetAnnotations()[definition.AnnotationHash]
}

func going(list []*unstructured.Unstructured) bool {
	return slices.ContainsFunc(list, func(o *unstructured.Unstructured) bool { return o.GetDeletionTimestamp() != nil })
}

// prune deletes objects that are no longer part of the graph, dependents first, and then narrows the inventory. An untouched instance had
// no objects before this pass, so nothing is listed for it: listing all objects of a kind is the most expensive request in a large cluster.
func (p *pass) prune(f *Facts, inventory applyset.Metadata, untouched bool) {
	items := p.items(p.nodes)
	narrow, err := p.set(false).Project(items)
	if err != nil {
		f.Prune = &Trouble{false, err.Error()}
		return
	}
	key := p.pruned(items)
	if last, _ := p.clean.Load(p.instance.GetUID()); last == key {
		return
	}
	var candidates []applyset.OrphanCandidate
	if !untouched {
		keep := sets.New[types.UID]()
		for _, n := range p.nodes {
			for _, o := range n.observed {
				keep.Insert(o.GetUID())
			}
		}
		if candidates, err = p.set(true).ListOrphans(p.ctx, applyset.PruneOptions{KeepUIDs: keep, Scope: inventory.PruneScope()}); err != nil {
			f.Prune = &Trouble{definition.Final(err), child.Reason(err)}
			return
		}
	}
	if len(candidates) > 0 {
		f.Pruning = true
		if err := p.remove(candidates); err != nil {
			f.Prune = &Trouble{definition.Final(err), child.Reason(err)}
		}
		return
	}
	if err := p.manage(narrow); err != nil {
		f.Prune = &Trouble{definition.Final(err), child.Reason(err)}
		return
	}
	p.clean.Store(p.instance.GetUID(), key)
}

// pruned hashes the names of the objects of a pass that had nothing to prune: a pass with the same names has nothing to prune either.
func (p *pass) pruned(items []applyset.Resource) string {
	h := sha256.New()
	for _, item := range items {
		fmt.Fprintln(h, item.Object.GetAPIVersion(), item.Object.GetKind(), item.Object.GetNamespace(), item.Object.GetName())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// within reports whether each value of want is in have.
func within(want, have any) bool { return differs(want, have, "") == "" }

// differs returns the path of the first value of want that have lacks; empty if there is none. Lists have the same length and are compared
// by position: the API server keeps the order of what is applied, and what it adds at the end of a list is worth an apply.
func differs(want, have any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok && (len(w) > 0 || have != nil) {
			return path
		}
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if w[k] == nil {
				continue
			}
			if at := differs(w[k], h[k], path+"."+k); at != "" {
				return at
			}
		}
		return ""
	case []any:
		h, ok := have.([]any)
		if !ok && (len(w) > 0 || have != nil) || len(w) != len(h) {
			return path
		}
		for i := range w {
			if at := differs(w[i], h[i], fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
		return ""
	}
	if !reflect.DeepEqual(number(want), number(have)) {
		return path
	}
	return ""
}

// number converts integers to float64: CEL and the JSON decoder yield different types.
func number(v any) any {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case int:
		return float64(n)
	}
	return v
}
