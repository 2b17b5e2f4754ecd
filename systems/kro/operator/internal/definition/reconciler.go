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
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kro/operator/api/v1alpha1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
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
	*operator.Host
	Client  client.Client // its cache has definitions, and the metadata of CustomResourceDefinitions and catalogs
	Live    client.Reader
	Mapper  meta.RESTMapper
	Builder *graph.Builder
	Limits  graph.Config
	Dynamic *dynamiccontroller.DynamicController
	Handler func(schema.GroupVersionResource, *Served) dynamiccontroller.Handler // of instances
	Kinds   *Kinds
	Hands   *Hands
	// GraphOnly makes ResourceGraphReady True once the graph is accepted, as kro does; otherwise it is about the resources of all instances.
	GraphOnly bool
	// DeleteKinds deletes the CustomResourceDefinition with its definition, and so every instance.
	DeleteKinds bool
	// Revisions is how many GraphRevisions of a definition are kept; all of them if it is not positive.
	Revisions int

	graphs        sync.Map   // *compiled, by definition
	accepted      sync.Map   // *accepted, by definition
	watching      sync.Mutex // what is served and what is watched change together
	registered    sync.Map   // UIDs of the CustomResourceDefinitions whose instances are watched, by resource
	watchCatalogs func()     // starts the watch of the catalogs, once
}

// accept returns the first status of a definition.
func accept(o *api.ResourceGraphDefinition, now time.Time) (operator.Pass, any) {
	p := Begin(o, now)
	p.ResourceGraphReady.Resolving("The graph of %s is being built.", o.Spec.Schema.Kind)
	p.ResourceGraphKindReady.WaitingForGraph("%s follows from the graph.", o.Spec.Schema.Kind)
	return p, &status{v1alpha1.ResourceGraphDefinitionStateInactive, o.Status.TopologicalOrder, o.Status.Resources,
		o.Status.LastIssuedRevision}
}

// gather builds the graph, and compares the CustomResourceDefinition with the stored one.
func (r *Reconciler) gather(ctx context.Context, o *api.ResourceGraphDefinition, _ time.Time) (f Facts, err error) {
	s := o.Spec.Schema
	f = Facts{Kind: s.Kind, GraphOnly: r.GraphOnly, rgd: o.Kro(), gvr: metadata.GetResourceGraphDefinitionInstanceGVR(s.Group, s.APIVersion,
		s.Kind)}
	if f.CRD, err = r.crd(ctx, f.gvr.GroupResource().String()); err != nil {
		return f, err
	}
	f.compiled = r.compile(ctx, f.rgd)
	if f.Graph = f.compiled.trouble; f.Graph != nil {
		return f, nil
	}
	f.Order, f.Resources = f.compiled.graph.TopologicalOrder, dependencies(f.compiled.graph)
	want, err := desired(f.rgd, f.compiled.graph.CRD)
	if err != nil {
		return f, err
	}
	next := compare(f.rgd, want, f.CRD, func(name string) bool {
		return slices.Contains(r.names(ctx, func(other *v1alpha1.Schema) bool { return other.Kind == s.Kind && other.Group == s.Group }), name)
	})
	if f.Write = next.trouble; next.apply {
		f.want = want
	}
	return f, nil
}

// act applies the CustomResourceDefinition, publishes and keeps what is accepted, and starts the watch of the instances.
func (r *Reconciler) act(ctx context.Context, o *api.ResourceGraphDefinition, f *Facts) error {
	served := &Served{Definition: o.Name, Generation: o.Generation, Graph: f.compiled.graph, Declared: f.compiled.declared}
	if g := f.Graph; g != nil {
		return r.halt(ctx, o, served, f, g.Text, g.Reason == ReasonGraphInvalid || g.Reason == ReasonKindMissing)
	}
	if f.want != nil {
		var stored *apiext.CustomResourceDefinition
		if stored, f.Write = put(ctx, r.Client, f.want); stored != nil {
			f.CRD = stored
		}
	}
	switch w := f.Write; {
	case w != nil && (w.Reason == ReasonBreakingChange || w.Reason == ReasonSyncFailed):
		return r.halt(ctx, o, served, f, w.Text, true)
	case w != nil || !f.established(): // the instances are reconciled as before until that is known
		return nil
	}
	// Before the first instance, so that who reads a condition finds what it means, and what an instance follows outlives this process.
	r.published(ctx, o, f, served)
	var err error
	if f.Revision, err = r.keep(ctx, f.rgd, f.compiled); err != nil {
		f.unkept = append(f.unkept, Trouble{"RevisionNotKept", child.Reason(err)})
	}
	if f.Watch = r.serve(ctx, f.CRD, f.gvr, served); f.Watch == nil && !r.GraphOnly {
		f.Watch = r.tally(ctx, o, f)
	}
	return nil
}

// published publishes the catalog of what is served.
func (r *Reconciler) published(ctx context.Context, o *api.ResourceGraphDefinition, f *Facts, s *Served) {
	if err := r.publish(ctx, o, s.Declared.Document); err != nil {
		f.unkept = append(f.unkept, Trouble{"CatalogNotPublished", child.Reason(err)})
	}
}

var judge = operator.JudgeWith[*api.ResourceGraphDefinition](Begin, Judge)

// status are the fields of the status other than the conditions, as kro defines them.
type status struct {
	State              v1alpha1.ResourceGraphDefinitionState `json:"state"`
	TopologicalOrder   []string                              `json:"topologicalOrder,omitempty"`
	Resources          []v1alpha1.ResourceInformation        `json:"resources,omitempty"`
	LastIssuedRevision int64                                 `json:"lastIssuedRevision,omitempty"`
}

func conclude(o *api.ResourceGraphDefinition, f Facts, result conditions.Result, now time.Time) (c operator.Conclusion) {
	s := &status{state(result), o.Status.TopologicalOrder, o.Status.Resources, max(o.Status.LastIssuedRevision, f.Revision)}
	if f.Graph == nil {
		s.TopologicalOrder, s.Resources = f.Order, f.Resources
	}
	c.Status = s
	// No event reports a permission that is granted, nor an instance that was deleted before it was reconciled.
	if f.Watch != nil || f.Write != nil && f.Write.Reason == ReasonSyncFailed || len(f.Instances.Pending) > 0 || len(f.unkept) > 0 {
		c.Again = now.Add(again)
	}
	return c
}

// dependencies lists the resources of a graph that depend on others, in the order of the graph, as kro does.
func dependencies(g *graph.Graph) (out []v1alpha1.ResourceInformation) {
	for _, id := range g.TopologicalOrder {
		one := v1alpha1.ResourceInformation{ID: id}
		for _, other := range g.Nodes[id].Meta.Dependencies {
			one.Dependencies = append(one.Dependencies, v1alpha1.Dependency{ID: other})
		}
		if len(one.Dependencies) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// state is Active while the kind is served as this generation makes it. In kro the instances have no part in it either.
func state(result conditions.Result) v1alpha1.ResourceGraphDefinitionState {
	if kind := result.Condition(TypeResourceGraphKindReady); kind != nil && kind.Status == conditions.True {
		return v1alpha1.ResourceGraphDefinitionStateActive
	}
	return v1alpha1.ResourceGraphDefinitionStateInactive
}

// after reports what was not kept, and makes orphans of the kinds that the definition does not make any more.
func (r *Reconciler) after(ctx context.Context, o *api.ResourceGraphDefinition, f Facts, warn func(reason, note string)) error {
	for _, t := range f.unkept {
		warn(t.Reason, t.Text)
	}
	if before, now := o.Status.State, state(judge(o, f, r.Now()).Commit()); before != "" && before != now {
		metrics.RGDStateTransitionsTotal.WithLabelValues(o.Name, string(before), string(now)).Inc()
	}
	return r.orphans(ctx, o.Name, f.gvr, "it makes "+f.Kind+" now")
}

// tally counts the instances. Those that are missing in the count for long are looked for again: no event reports one that was deleted
// before it was reconciled.
func (r *Reconciler) tally(ctx context.Context, o *api.ResourceGraphDefinition, f *Facts) error {
	var listed time.Time
	if f.Instances, listed = r.Kinds.count(f.gvr); len(f.Instances.Pending) > 0 && r.Now().Sub(listed) >= again {
		if err := r.list(ctx, f.CRD, f.gvr); err != nil {
			return err
		}
		f.Instances, _ = r.Kinds.count(f.gvr)
	}
	if c := meta.FindStatusCondition(o.Status.Conditions, TypeResourceGraphReady); c != nil && c.ObservedGeneration == o.Generation {
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
func (r *Reconciler) halt(ctx context.Context, o *api.ResourceGraphDefinition, s *Served, f *Facts, problem string, final bool) error {
	last, err := r.former(ctx, f.rgd)
	if err != nil {
		return err
	}
	if f.CRD == nil && last != nil { // it was deleted meanwhile, and comes back as the last accepted generation made it
		want, err := desired(f.rgd, last.graph.CRD)
		if err != nil {
			return err
		}
		var refused *Trouble
		if f.CRD, refused = put(ctx, r.Client, want); refused != nil {
			return errors.New(refused.Text)
		}
	}
	if f.CRD == nil || f.CRD.Labels[metadata.ResourceGraphDefinitionNameLabel] != o.Name || !f.established() {
		return nil
	}
	s.Graph, s.Problem, s.Final = nil, problem, final
	if last != nil {
		s.Problem = fmt.Sprintf("generation %d is not accepted: %s", s.Generation, problem)
		s.Graph, s.Declared, s.Generation = last.graph, last.declared, last.generation
	}
	if s.Declared == nil {
		if s.Declared, err = bare(f.rgd); err != nil {
			return err
		}
	}
	if final {
		r.published(ctx, o, f, s)
	}
	f.Watch = r.serve(ctx, f.CRD, f.gvr, s)
	return nil
}

// serve starts the watch of a kind, and reconciles all instances again if s is new. kro's informers block for half a minute if they may not
// list a kind, so a list is tried before, and its error is returned. A CustomResourceDefinition that was created again gets new informers,
// because those of the former one are in a long back-off.
func (r *Reconciler) serve(ctx context.Context, crd *apiext.CustomResourceDefinition, gvr schema.GroupVersionResource, s *Served) error {
	r.watching.Lock()
	defer r.watching.Unlock()
	s.Namespaced = crd.Spec.Scope == apiext.NamespaceScoped
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
	handler := r.Handler(gvr, s)
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
	if _, watched := r.registered.Load(gvr); watched && r.Kinds.Get(gvr) != nil {
		_ = r.Dynamic.Register(context.Background(), gvr, r.Handler(gvr, r.Kinds.Get(gvr))) // of a kind that is watched it does not fail
	}
}

// Wake reconciles every instance again.
func (r *Reconciler) Wake() {
	r.registered.Range(func(gvr, _ any) bool {
		r.rejudge(gvr.(schema.GroupVersionResource))
		return true
	})
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

// end makes orphans of the kinds of a definition that is deleted.
func (r *Reconciler) end(ctx context.Context, name string) error {
	began := time.Now()
	if err := r.orphans(ctx, name, schema.GroupVersionResource{}, "it does not exist"); err != nil {
		return err
	}
	if _, first := r.graphs.LoadAndDelete(name); first {
		metrics.RGDDeletionsTotal.WithLabelValues(name).Inc()
		metrics.RGDDeletionDuration.WithLabelValues(name).Observe(time.Since(began).Seconds())
	}
	r.accepted.Delete(name)
	return nil
}
