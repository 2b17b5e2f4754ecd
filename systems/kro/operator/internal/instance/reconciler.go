// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/cel/library"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/metadata"
	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/kubernetes-sigs/kro/pkg/requeue"
	kroruntime "github.com/kubernetes-sigs/kro/pkg/runtime"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type condition = library.Condition

// Delays after which an instance is reconciled again.
const (
	Soon  = 2 * time.Second  // after a step whose completion no watch reports
	Again = 30 * time.Second // while a resource is not ready, in case that no watch reports a change
	// Settling is how long expressions without a value are evaluated again at short intervals: the API server sets the default of a new field
	// some time after it accepts the schema, without an event.
	Settling = 30 * time.Second
)

// Shared has the clients and settings that the reconcilers of all kinds share. Its fields are set before use and not changed afterwards.
type Shared struct {
	*operator.Host
	Client      dynamic.Interface
	Mapper      meta.RESTMapper
	Coordinator *dynamiccontroller.WatchCoordinator
	Kinds       *definition.Kinds
	Engine      *verdict.Engine
	Limits      graph.Config
	Readiness   declare.Readiness // of definitions that do not choose
	Adopt       Adopt
	Workers     int    // that reconcile instances at a time
	Namespace   string // of the operator, which has the key of its proofs
	Log         logr.Logger

	listable sync.Map // the kinds that the operator was able to list
	created  sync.Map // UIDs of objects that were proven
	seal     seal
	shares   shares
}

// Reconciler reconciles the instances of one kind.
type Reconciler struct {
	*Shared
	GVR schema.GroupVersionResource

	clean    sync.Map // UIDs of instances without objects to prune, with what [pass.pruned] returned of them
	contests contests
}

// Instance is an object of a kind that a definition makes.
type Instance struct {
	unstructured.Unstructured
	gone bool // with its resources: only the finalizer is left
}

// GetConditions returns the stored conditions that can be read.
func (o *Instance) GetConditions() []metav1.Condition {
	stored, _ := read(&o.Unstructured)
	return wire.ToMeta(stored)
}

// DeepCopyObject returns a copy.
func (o *Instance) DeepCopyObject() runtime.Object { return &Instance{Unstructured: *o.DeepCopy()} }

// Handler returns the function that kro's queue calls for each instance of a kind.
func (s *Shared) Handler(gvr schema.GroupVersionResource, served *definition.Served) dynamiccontroller.Handler {
	r, empty := &Reconciler{Shared: s, GVR: gvr}, &Instance{}
	empty.SetGroupVersionKind(gvr.GroupVersion().WithKind(served.Declared.Conditions.Kind))
	passes := operator.NewReconciler(s.Host, operator.Kind[*Instance, *pass]{
		Resource: gvr, Conditions: served.Declared.Conditions, ClusterScoped: !served.Namespaced, Backoff: definition.Backoff,
		Gather: r.gather, Act: r.act, Judge: judge, Conclude: conclude, After: r.after,
		Finalizer: definition.Finalizer, // pass.manage sets it
		Guarded:   func(o *Instance) bool { return metadata.HasInstanceFinalizer(o) },
		Leaving:   r.leaving,
		Delete:    func(_ context.Context, o *Instance) (bool, error) { return o.gone, nil },
		Forget: func(_ context.Context, request ctrl.Request) error {
			r.Coordinator.RemoveInstance(gvr, request.NamespacedName)
			metrics.DeleteInstanceMetrics(gvr, request.Namespace, request.Name)
			r.Kinds.Forget(gvr, request.NamespacedName)
			return nil
		},
	}, empty)
	return func(ctx context.Context, request ctrl.Request) error {
		if may, after := s.shares.begin(request.NamespacedName, s.Workers); !may {
			return requeue.NeededAfter(errors.New("other instances of its namespace are looked at"), after)
		}
		defer s.shares.end(request.Namespace)
		began := time.Now()
		result, err := passes.Reconcile(ctx, request)
		r.Coordinator.ForInstance(gvr, request.NamespacedName).Done(err == nil)
		r.measure(time.Since(began), err == nil)
		if err != nil || result.RequeueAfter == 0 {
			return err
		}
		return requeue.NeededAfter(errors.New("looked at again"), result.RequeueAfter)
	}
}

// own returns the client for the instances.
func (r *Reconciler) own(namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return r.Client.Resource(r.GVR)
	}
	return r.Client.Resource(r.GVR).Namespace(namespace)
}

// definition returns the name of the definition of an instance.
func (r *Reconciler) definition(o *unstructured.Unstructured) string {
	if s := r.Kinds.Get(r.GVR); s != nil {
		return s.Definition
	}
	return o.GetLabels()[metadata.ResourceGraphDefinitionNameLabel]
}

// begin returns a pass over an instance, without facts.
func (r *Reconciler) begin(ctx context.Context, o *Instance, now time.Time) (*pass, error) {
	served, key := r.Kinds.Get(r.GVR), client.ObjectKeyFromObject(o)
	if served == nil {
		return nil, operator.ErrNotYet // its CustomResourceDefinition is being deleted
	}
	p := &pass{Reconciler: r, ctx: ctx, now: now, served: served, instance: &o.Unstructured,
		watcher: r.Coordinator.ForInstance(r.GVR, key), budget: budget{now: time.Now}}
	p.f.Generation, p.f.Missing = served.Generation, served.Missing
	var errs []error
	if p.stored, errs = read(p.instance); len(errs) > 0 {
		r.Log.Info("a stored condition cannot be read", "instance", key, "problem", errors.Join(errs...).Error())
	}
	return p, nil
}

// gather evaluates the graph.
func (r *Reconciler) gather(ctx context.Context, o *Instance, now time.Time) (*pass, error) {
	p, err := r.begin(ctx, o, now)
	if err != nil {
		return nil, err
	}
	served := p.served
	r.resolution(served)
	if served.Graph == nil {
		p.f.Definition = &Trouble{served.Final, fmt.Sprintf("definition %s: %s", served.Definition, served.Problem)}
		return p, nil
	}
	if p.runtime, err = kroruntime.FromGraph(served.Graph, r.Limits, kroruntime.WithInstance(p.instance)); err != nil {
		return nil, err
	}
	p.f.Behind = served.Problem
	p.f.Suspended = v1alpha1.IsReconcileSuspended(o.GetAnnotations()[v1alpha1.InstanceReconcileAnnotation])
	p.late, p.schemas = late(p.stored, now), served.Graph.ResourceSchemas
	p.lenient = cmp.Or(served.Declared.Readiness, r.Readiness) == declare.AsKro
	p.evaluate()
	return p, nil
}

// act applies the resources, and judges the objects.
func (r *Reconciler) act(_ context.Context, _ *Instance, f **pass) error {
	p := *f
	if p.runtime == nil {
		return nil
	}
	if !p.f.Suspended {
		p.sync(&p.f)
	}
	p.next = p.facts(&p.f, p.now)
	p.custom(&p.f, p.served.Declared, p.stored, p.now)
	return nil
}

// declared returns the conditions of a pass.
func (p *pass) declared() *conditions.Kind {
	var types []string
	for _, c := range p.f.Custom {
		types = append(types, declare.Renamed(c.ConditionType))
	}
	if p.served.Graph == nil { // without a graph the stored conditions are all that is known of the resources
		for _, c := range p.stored {
			if declare.IsResource(c.Type) {
				types = append(types, c.Type)
			}
		}
	}
	return p.served.Declared.With(types)
}

func judge(o *Instance, p *pass, now time.Time) operator.Pass {
	p.kind = p.declared()
	judged := p.kind.Begin(o.GetGeneration(), p.stored, now)
	Judge(judged, p.f)
	return judged
}

func conclude(_ *Instance, p *pass, result conditions.Result, now time.Time) operator.Conclusion {
	p.result = result
	return operator.Conclusion{Status: p.fields(p.f, result), Declared: p.kind, Again: again(p.f, result, p.next, now)}
}

// after reports the state of an instance to its definition.
func (r *Reconciler) after(_ context.Context, o *Instance, p *pass, warn func(reason, note string)) error {
	for _, object := range p.f.Adopted {
		warn("Adopted", object+" existed and is the instance's now; it stays when the instance is deleted")
	}
	p.transition(p.stored, p.result.Conditions(), state(p.f, p.result))
	if key := client.ObjectKeyFromObject(o); p.f.Deleting && p.f.Blocked == nil {
		r.Kinds.Forget(r.GVR, key)
	} else {
		r.Kinds.Report(r.GVR, p.served, key, work(p.result.Conditions()))
	}
	return nil
}

// leaving deletes the next wave of the resources of an instance.
func (r *Reconciler) leaving(ctx context.Context, o *Instance, now time.Time) (*pass, error) {
	p, err := r.begin(ctx, o, now)
	if err != nil {
		return nil, err
	}
	if o.gone = p.end(&p.f); o.gone {
		r.clean.Delete(o.GetUID())
		return p, operator.ErrNotYet // it goes now
	}
	p.result = judge(o, p, now).Commit()
	return p, r.after(ctx, o, p, nil)
}

// work returns the worst of the conditions of the chunks of work: conditions of a definition's own say nothing about the resources.
func work(list []conditions.Condition) (worst conditions.Condition) {
	worst.Status = conditions.True
	for _, name := range []string{declare.InstanceManaged, declare.GraphResolved, declare.InstanceSynced, declare.ResourcesReady} {
		i := conditions.Find(list, name)
		if i >= 0 && (list[i].Status == conditions.False && worst.Status != conditions.False || list[i].Status == conditions.Unknown &&
			worst.Status == conditions.True) {
			worst = list[i]
		}
	}
	return worst
}

// again returns when an instance is to be reconciled again although nothing reports a change; zero: never. next is when a verdict changes.
func again(f Facts, result conditions.Result, next, now time.Time) time.Time {
	after := time.Duration(0)
	switch ready, resolved := result.Condition(declare.Ready), result.Condition(declare.GraphResolved); {
	case f.Deleting, f.Pruning:
		after = Soon
	case f.Definition == nil && resolved != nil && resolved.Status == conditions.Unknown &&
		now.Sub(resolved.LastTransitionTime.Time) < Settling:
		after = Soon
	case f.Definition != nil: // a change of the definition enqueues every instance
	case f.Suspended:
	case ready == nil || ready.Status != conditions.True:
		after = Again
	}
	if after > 0 && (next.IsZero() || next.After(now.Add(after))) {
		next = now.Add(after)
	}
	return next
}

// fields returns the status fields other than the conditions: those that the definition maps, and the state of kro.
func (p *pass) fields(f Facts, result conditions.Result) apply.Fields {
	out := apply.Fields{}
	keep := p.runtime == nil
	if !keep {
		desired, err := p.runtime.Instance().GetDesired()
		if err != nil || len(desired) == 0 {
			keep = true
		} else if mapped, found, _ := unstructured.NestedMap(desired[0].Object, "status"); found {
			for k, v := range mapped {
				out[k] = v
			}
		}
	}
	if keep { // they cannot be computed in this pass
		mapped, _, _ := unstructured.NestedMap(p.instance.Object, "status")
		for k, v := range mapped {
			out[k] = v
		}
	}
	delete(out, "conditions")
	out["state"] = state(f, result)
	return out
}

// state returns the value of status.state, which kro defines.
func state(f Facts, result conditions.Result) string {
	ready := result.Condition(declare.Ready)
	switch {
	case f.Deleting:
		return string(v1alpha1.InstanceStateDeleting)
	case ready != nil && ready.Status == conditions.True:
		return string(v1alpha1.InstanceStateActive)
	case ready != nil && ready.Status == conditions.False:
		return string(v1alpha1.InstanceStateError)
	}
	return string(v1alpha1.InstanceStateInProgress)
}

// read returns the stored conditions.
func read(o *unstructured.Unstructured) ([]conditions.Condition, []error) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	return wire.FromUnstructured(list)
}
