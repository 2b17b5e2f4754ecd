// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"context"
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
	"github.com/tristate/tristate/operators/kro/internal/declare"
	"github.com/tristate/tristate/operators/kro/internal/definition"
	"github.com/tristate/tristate/verdict"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
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
	Client      dynamic.Interface
	Mapper      meta.RESTMapper
	Coordinator *dynamiccontroller.WatchCoordinator
	Kinds       *definition.Kinds
	Engine      *verdict.Engine
	Writer      *apply.Writer
	Events      *apply.Events
	Metrics     *apply.Metrics
	Limits      graph.Config
	Readiness   declare.Readiness // of definitions that do not choose
	Log         logr.Logger
	Now         func() time.Time

	listable sync.Map // the kinds that the operator was able to list
}

// Reconciler reconciles the instances of one kind.
type Reconciler struct {
	*Shared
	GVR schema.GroupVersionResource

	mu       sync.Mutex
	declared *conditions.Kind
	status   *apply.Status
	clean    sync.Map // UIDs of instances without objects to prune, with what [pass.pruned] returned of them
	contests contests
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

// Reconcile is one pass over one instance.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (err error) {
	watcher, began := r.Coordinator.ForInstance(r.GVR, request.NamespacedName), time.Now()
	defer func() {
		fine := err == nil || requeue.IsRequeueError(err)
		watcher.Done(fine)
		r.measure(time.Since(began), fine)
	}()
	o, err := r.own(request.Namespace).Get(ctx, request.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		r.Coordinator.RemoveInstance(r.GVR, request.NamespacedName)
		r.forget(request.NamespacedName)
		metrics.DeleteInstanceMetrics(r.GVR, request.Namespace, request.Name)
		r.Kinds.Forget(r.GVR, request.NamespacedName)
		return nil
	}
	if err != nil {
		return err
	}
	served := r.Kinds.Get(r.GVR)
	if served == nil {
		return nil // its CustomResourceDefinition is being deleted
	}
	p := &pass{Reconciler: r, ctx: ctx, instance: o, watcher: watcher}
	now := r.Now()
	stored, errs := read(o)
	for _, e := range errs {
		r.Log.Info("a stored condition cannot be read", "instance", request.NamespacedName, "problem", e.Error())
	}
	f := Facts{Generation: served.Generation, Missing: served.Missing}
	if o.GetDeletionTimestamp() != nil {
		if p.end(&f) {
			r.Coordinator.RemoveInstance(r.GVR, request.NamespacedName)
			r.clean.Delete(o.GetUID())
			r.Kinds.Forget(r.GVR, request.NamespacedName)
			return nil
		}
		return r.finish(p, served, stored, f, time.Time{}, now)
	}
	r.resolution(served)
	if served.Graph == nil {
		f.Definition = &Trouble{served.Final, fmt.Sprintf("definition %s: %s", served.Definition, served.Problem)}
		return r.finish(p, served, stored, f, time.Time{}, now)
	}
	if p.runtime, err = kroruntime.FromGraph(served.Graph, r.Limits, kroruntime.WithInstance(o)); err != nil {
		return err
	}
	f.Behind = served.Problem
	p.late, p.schemas = late(stored, now), served.Graph.ResourceSchemas
	p.evaluate()
	f.Suspended = v1alpha1.IsReconcileSuspended(o.GetAnnotations()[v1alpha1.InstanceReconcileAnnotation])
	if !f.Suspended {
		p.sync(&f)
	}
	p.lenient = cmp.Or(served.Declared.Readiness, r.Readiness) == declare.AsKro
	next := p.facts(&f, now)
	p.custom(&f, served.Declared, stored, now)
	return r.finish(p, served, stored, f, next, now)
}

// finish turns the facts into conditions and writes the status, if it changed, with one request.
func (r *Reconciler) finish(p *pass, served *definition.Served, stored []conditions.Condition, f Facts, next, now time.Time) error {
	var types []string
	for _, c := range f.Custom {
		types = append(types, declare.Renamed(c.ConditionType))
	}
	if served.Graph == nil { // without a graph the stored conditions are all that is known of the resources
		for _, c := range stored {
			if declare.IsResource(c.Type) {
				types = append(types, c.Type)
			}
		}
	}
	kind := served.Declared.With(types)
	judged := kind.Begin(p.instance.GetGeneration(), stored, now)
	Judge(judged, f)
	result := judged.Commit()
	for _, e := range result.Errors {
		r.Log.Info("a condition was reported that is not declared", "problem", e.Error())
	}
	err := r.target(kind, served.Declared.Conditions, p.instance.GetNamespace() != "").ApplyWith(p.ctx, p.instance, result,
		p.fields(f, result))
	advice := result.Advice(err)
	if err != nil {
		return advice.Err
	}
	p.transition(stored, result.Conditions, state(f, result))
	if key := client.ObjectKeyFromObject(p.instance); f.Deleting && f.Blocked == nil {
		r.Kinds.Forget(r.GVR, key)
	} else {
		r.Kinds.Report(r.GVR, served, key, work(result.Conditions))
	}
	return again(f, result, advice, next, now)
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

// again returns the error that makes the queue reconcile the instance again, or nil.
func again(f Facts, result conditions.Result, advice conditions.Advice, next, now time.Time) error {
	after := advice.Wait(now)
	sooner := func(d time.Duration) {
		if after == 0 || d < after {
			after = d
		}
	}
	switch ready, resolved := conditions.Find(result.Conditions, declare.Ready), conditions.Find(result.Conditions, declare.GraphResolved); {
	case f.Deleting, f.Pruning:
		sooner(Soon)
	case f.Definition == nil && resolved >= 0 && result.Conditions[resolved].Status == conditions.Unknown &&
		now.Sub(result.Conditions[resolved].LastTransitionTime.Time) < Settling:
		sooner(Soon)
	case f.Definition != nil: // a change of the definition enqueues every instance
	case f.Suspended:
	case advice.Err != nil:
		return advice.Err // with the back-off of the queue
	case ready < 0 || result.Conditions[ready].Status != conditions.True:
		sooner(Again)
	}
	if !next.IsZero() {
		sooner(max(next.Sub(now), time.Second))
	}
	if after == 0 {
		return nil
	}
	return requeue.NeededAfter(fmt.Errorf("looked at again"), after)
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
	i := conditions.Find(result.Conditions, declare.Ready)
	switch {
	case f.Deleting:
		return string(v1alpha1.InstanceStateDeleting)
	case i >= 0 && result.Conditions[i].Status == conditions.True:
		return string(v1alpha1.InstanceStateActive)
	case i >= 0 && result.Conditions[i].Status == conditions.False:
		return string(v1alpha1.InstanceStateError)
	}
	return string(v1alpha1.InstanceStateInProgress)
}

// target returns the target of the status writes. A pass with further types has a target of its own.
func (r *Reconciler) target(kind, declared *conditions.Kind, namespaced bool) *apply.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := &apply.Status{Writer: r.Writer, Events: r.Events, Metrics: r.Metrics, Target: apply.Target{Resource: r.GVR, Kind: kind.Kind,
		Namespaced: namespaced, ListMap: true, Path: apply.ParsePath("status.conditions"), Own: kind}}
	if kind != declared {
		return fresh
	}
	if r.status == nil || r.declared != declared {
		r.declared, r.status = declared, fresh
	}
	return r.status
}

func (r *Reconciler) forget(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status != nil {
		r.status.Forget(key)
	}
}

// read returns the stored conditions.
func read(o *unstructured.Unstructured) ([]conditions.Condition, []error) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	return conditions.FromUnstructured(list)
}
