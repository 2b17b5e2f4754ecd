// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/operators/kro/api/v1alpha1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Manager is the field manager of everything that the operator writes, except for the resources of instances, which have the field
// manager of kro.
const Manager = "kro.run/tristate"

// starting is how long the dynamic controller may take to start next to this one.
const starting = 10 * time.Second

// again is the delay after which a request is repeated that the API server refused.
const again = 30 * time.Second

// Reconciler reconciles ResourceGraphDefinitions. Its fields are set before use and not changed afterwards.
type Reconciler struct {
	Client  client.Client // its cache has definitions, and the metadata of CustomResourceDefinitions and catalogs
	Live    client.Reader
	Mapper  meta.RESTMapper
	Builder *graph.Builder
	Limits  graph.Config
	Dynamic *dynamiccontroller.DynamicController
	Handler func(schema.GroupVersionResource) dynamiccontroller.Handler // of instances
	Kinds   *Kinds
	Hands   *Hands
	Status  *apply.Status
	Now     func() time.Time
	// GraphOnly makes ResourceGraphReady True once the graph is accepted, as kro does; otherwise it is about the resources of all instances.
	GraphOnly bool
	// DeleteKinds deletes the CustomResourceDefinition with its definition, and so every instance.
	DeleteKinds bool
	// Revisions is how many GraphRevisions of a definition are kept; all of them if it is not positive.
	Revisions int

	graphs        sync.Map // *compiled, by definition
	accepted      sync.Map // *accepted, by definition
	published     published
	watching      sync.Mutex // what is served and what is watched change together
	registered    sync.Map   // UIDs of the CustomResourceDefinitions whose instances are watched, by resource
	watchCatalogs func()     // starts the watch of the catalogs, once
}

// Reconcile is one pass over one definition.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	rgd := &api.ResourceGraphDefinition{}
	err := r.Client.Get(ctx, request.NamespacedName, rgd)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if err != nil || rgd.DeletionTimestamp != nil {
		return ctrl.Result{}, r.end(ctx, request.Name, rgd, err == nil)
	}
	if rgd.Spec.Schema == nil { // the API server does not admit that
		return ctrl.Result{}, nil
	}
	if len(rgd.Status.Conditions) == 0 {
		p := Begin(rgd, r.Now())
		p.ResourceGraphReady.Resolving("The graph of %s is being built.", rgd.Spec.Schema.Kind)
		p.ResourceGraphKindReady.WaitingForGraph("%s follows from the graph.", rgd.Spec.Schema.Kind)
		if err := r.write(ctx, rgd, p.Commit(), nil); err != nil {
			return ctrl.Result{}, err
		}
	}
	facts, err := r.act(ctx, rgd)
	if err != nil {
		return ctrl.Result{}, err
	}
	p := Begin(rgd, r.Now())
	Judge(p, facts)
	result := p.Commit()
	now := r.Now()
	advice := result.Advice(r.write(ctx, rgd, result, &facts))
	after := advice.Wait(now)
	if facts.Watch != nil || facts.Write != nil && facts.Write.Reason == ReasonSyncFailed { // no event reports a permission that is granted
		after = again
	}
	if len(facts.Instances.Pending) > 0 && after == 0 { // one that was deleted before it was reconciled is never reported
		after = again
	}
	if facts.Unkept && (after == 0 || after > again) {
		after = again
	}
	s := rgd.Spec.Schema
	former := r.orphans(ctx, rgd.Name, metadata.GetResourceGraphDefinitionInstanceGVR(s.Group, s.APIVersion, s.Kind), "it makes "+s.Kind+
		" now")
	return ctrl.Result{RequeueAfter: after}, errors.Join(advice.Err, former)
}

// act builds the graph, applies the CustomResourceDefinition, starts the watch of the instances, publishes the catalog, and returns the
// results.
func (r *Reconciler) act(ctx context.Context, own *api.ResourceGraphDefinition) (Facts, error) {
	rgd := own.Kro()
	s := rgd.Spec.Schema
	facts := Facts{Kind: s.Kind, GraphOnly: r.GraphOnly}
	gvr := metadata.GetResourceGraphDefinitionInstanceGVR(s.Group, s.APIVersion, s.Kind)
	name := gvr.GroupResource().String()
	have, err := r.crd(ctx, name)
	if err != nil {
		return facts, err
	}
	c := r.compile(ctx, rgd)
	facts.Graph, facts.CRD = c.trouble, have
	served := &Served{Definition: rgd.Name, Generation: rgd.Generation, Graph: c.graph, Declared: c.declared}
	if c.trouble != nil {
		final := c.trouble.Reason == ReasonGraphInvalid || c.trouble.Reason == ReasonKindMissing
		return facts, r.halt(ctx, rgd, gvr, served, &facts, c.trouble.Text, final)
	}
	facts.Order = c.graph.TopologicalOrder
	want, err := desired(rgd, c.graph.CRD)
	if err != nil {
		return facts, err
	}
	next := compare(rgd, want, have, func(name string) bool {
		return slices.Contains(r.names(ctx, func(other *v1alpha1.Schema) bool { return other.Kind == s.Kind && other.Group == s.Group }), name)
	})
	facts.Write = next.trouble
	if next.apply {
		if have, facts.Write = put(ctx, r.Client, want); have != nil {
			facts.CRD = have
		}
	}
	switch w := facts.Write; {
	case w != nil && (w.Reason == ReasonBreakingChange || w.Reason == ReasonSyncFailed):
		return facts, r.halt(ctx, rgd, gvr, served, &facts, w.Text, true)
	case w != nil || !facts.established(): // the instances are reconciled as before until that is known
		return facts, nil
	}
	if facts.Watch = r.serve(ctx, facts.CRD, gvr, served); facts.Watch == nil && !r.GraphOnly {
		facts.Watch = r.tally(ctx, own, gvr, &facts)
	}
	if err := r.keep(ctx, rgd, c); err != nil {
		r.Status.Events.Warn(r.Status.Target, rgd, "RevisionNotKept", "Keep", Text(err))
		facts.Unkept = true
	}
	facts.Unkept = r.publish(ctx, rgd, c.declared.Document) || facts.Unkept
	return facts, nil
}

// tally counts the instances. Those that are missing in the count for long are looked for again: no event reports one that was deleted
// before it was reconciled.
func (r *Reconciler) tally(ctx context.Context, rgd *api.ResourceGraphDefinition, gvr schema.GroupVersionResource, f *Facts) error {
	var listed time.Time
	if f.Instances, listed = r.Kinds.count(gvr); len(f.Instances.Pending) > 0 && r.Now().Sub(listed) >= again {
		if err := r.list(ctx, f.CRD, gvr); err != nil {
			return err
		}
		f.Instances, _ = r.Kinds.count(gvr)
	}
	if c := meta.FindStatusCondition(rgd.Status.Conditions, TypeResourceGraphReady); c != nil && c.ObservedGeneration == rgd.Generation {
		f.Before = Trouble{c.Reason, c.Message}
	}
	return nil
}

// list finds out which instances exist.
func (r *Reconciler) list(ctx context.Context, crd *apiext.CustomResourceDefinition, gvr schema.GroupVersionResource) error {
	var keys []types.NamespacedName
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvr.GroupVersion().WithKind(crd.Spec.Names.ListKind))
	for {
		if err := r.Live.List(ctx, list, client.Limit(500), client.Continue(list.Continue)); err != nil {
			return err
		}
		for i := range list.Items {
			keys = append(keys, client.ObjectKeyFromObject(&list.Items[i]))
		}
		if list.Continue == "" {
			r.Kinds.listed(gvr, keys, r.Now())
			return nil
		}
	}
}

// halt leaves the instances of a definition whose current generation is not accepted to the last accepted one. Without one they report
// that, and their resources stay as they are.
func (r *Reconciler) halt(ctx context.Context, rgd *v1alpha1.ResourceGraphDefinition, gvr schema.GroupVersionResource, s *Served, f *Facts,
	problem string, final bool) (err error) {
	if f.CRD == nil || f.CRD.Labels[metadata.ResourceGraphDefinitionNameLabel] != rgd.Name || !f.established() {
		return nil
	}
	s.Graph, s.Problem, s.Final = nil, problem, final
	last, err := r.former(ctx, rgd)
	if err != nil {
		return err
	}
	if last != nil {
		s.Problem = fmt.Sprintf("generation %d is not accepted: %s", s.Generation, problem)
		s.Graph, s.Declared, s.Generation = last.graph, last.declared, last.generation
	}
	if s.Declared == nil {
		if s.Declared, err = bare(rgd); err != nil {
			return err
		}
	}
	f.Watch = r.serve(ctx, f.CRD, gvr, s)
	if final {
		f.Unkept = r.publish(ctx, rgd, s.Declared.Document)
	}
	return nil
}

// serve starts the watch of a kind, and reconciles all instances again if s is new. kro's informers block for half a minute if they may not
// list a kind, so a list is tried before, and its error is returned. A CustomResourceDefinition that was created again gets new informers,
// because those of the former one are in a long back-off.
func (r *Reconciler) serve(ctx context.Context, crd *apiext.CustomResourceDefinition, gvr schema.GroupVersionResource, s *Served) error {
	r.watching.Lock()
	defer r.watching.Unlock()
	since, _ := r.registered.Load(gvr)
	if !r.Kinds.set(gvr, s) && since == crd.UID {
		return nil
	}
	if since != crd.UID {
		if err := r.list(ctx, crd, gvr); err != nil {
			return err
		}
		if since != nil {
			if err := r.Dynamic.Deregister(ctx, gvr); err != nil {
				return err
			}
			r.registered.Delete(gvr)
			r.Hands.leave(gvr)
		}
	}
	handler := r.Handler(gvr)
	err := r.Dynamic.Register(ctx, gvr, handler)
	for end := time.Now().Add(starting); err != nil && strings.Contains(err.Error(), "not started") && time.Now().Before(end) &&
		ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond) // the manager starts both controllers at the same time
		err = r.Dynamic.Register(ctx, gvr, handler)
	}
	if err != nil {
		r.registered.Delete(gvr)
		return err
	}
	r.registered.Store(gvr, crd.UID)
	r.Hands.watch(gvr, func() { r.rejudge(gvr) })
	return nil
}

// rejudge reconciles the instances of a kind again.
func (r *Reconciler) rejudge(gvr schema.GroupVersionResource) {
	r.watching.Lock()
	defer r.watching.Unlock()
	if _, watched := r.registered.Load(gvr); watched {
		_ = r.Dynamic.Register(context.Background(), gvr, r.Handler(gvr)) // of a kind that is watched it does not fail
	}
}

// crd reads a CustomResourceDefinition; nil if it does not exist.
func (r *Reconciler) crd(ctx context.Context, name string) (*apiext.CustomResourceDefinition, error) {
	out := &apiext.CustomResourceDefinition{}
	err := r.Live.Get(ctx, types.NamespacedName{Name: name}, out)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read the CustomResourceDefinition %s: %w", name, err)
	}
	if err != nil {
		return nil, nil
	}
	return out, nil
}

// end makes orphans of the kinds of a definition that is deleted, and removes the finalizer of kro from it.
func (r *Reconciler) end(ctx context.Context, name string, rgd *api.ResourceGraphDefinition, exists bool) error {
	began := time.Now()
	if err := r.orphans(ctx, name, schema.GroupVersionResource{}, "it does not exist"); err != nil {
		return err
	}
	if _, first := r.graphs.LoadAndDelete(name); first {
		metrics.RGDDeletionsTotal.WithLabelValues(name).Inc()
		metrics.RGDDeletionDuration.WithLabelValues(name).Observe(time.Since(began).Seconds())
	}
	r.accepted.Delete(name)
	r.published.drop(name)
	if !exists {
		r.Status.Forget(types.NamespacedName{Name: name})
		return nil
	}
	if !metadata.HasResourceGraphDefinitionFinalizer(rgd) {
		return nil
	}
	before := rgd.DeepCopy()
	metadata.RemoveResourceGraphDefinitionFinalizer(rgd)
	return client.IgnoreNotFound(r.Client.Patch(ctx, rgd, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

// write writes the status with one request, if it changed. Without facts the other fields of the status stay as they are.
func (r *Reconciler) write(ctx context.Context, rgd *api.ResourceGraphDefinition, result conditions.Result, f *Facts) error {
	status := struct {
		State            v1alpha1.ResourceGraphDefinitionState `json:"state"`
		TopologicalOrder []string                              `json:"topologicalOrder,omitempty"`
	}{v1alpha1.ResourceGraphDefinitionStateInactive, rgd.Status.TopologicalOrder}
	if i := conditions.Find(result.Conditions, TypeReady); i >= 0 && result.Conditions[i].Status == conditions.True {
		status.State = v1alpha1.ResourceGraphDefinitionStateActive
	}
	if f != nil && f.Graph == nil {
		status.TopologicalOrder = f.Order
	}
	if err := r.Status.ApplyStatus(ctx, rgd, result, &status); err != nil {
		return err
	}
	if before := rgd.Status.State; before != "" && before != status.State {
		metrics.RGDStateTransitionsTotal.WithLabelValues(rgd.Name, string(before), string(status.State)).Inc()
	}
	return nil
}
