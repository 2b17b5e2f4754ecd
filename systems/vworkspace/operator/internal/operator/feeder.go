// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"slices"
	"time"

	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operation"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// loadRetry is how long to wait after the journal could not be read.
const loadRetry = 2 * time.Second

// feeder takes the transitions of all objects over to the agent, and runs it, on the leader.
type feeder struct {
	manager ctrl.Manager
	agent   *agent.Agent
}

// Start loads the journal, follows the objects and runs the agent.
func (f *feeder) Start(ctx context.Context) error {
	f.agent.Resync = func() { f.all(ctx) }
	for f.agent.Load(ctx) != nil {
		log.FromContext(ctx).Info("the journal cannot be read; trying again")
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(loadRetry):
		}
	}
	exists := map[string]bool{}
	for _, o := range f.objects(ctx) {
		exists[string(o.GetUID())] = true
	}
	f.agent.Retain(exists)
	handler := toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { f.take(o, f.agent.Take) },
		UpdateFunc: func(_, o any) { f.take(o, f.agent.Take) },
		DeleteFunc: func(o any) {
			if last, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
				o = last.Obj
			}
			f.take(o, f.agent.Gone)
		},
	}
	for _, o := range []client.Object{&appsapi.ApplicationInstance{}, &opsapi.Operation{}, &opsapi.Cluster{}} {
		informer, err := f.manager.GetCache().GetInformer(ctx, o)
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	return f.agent.Start(ctx)
}

// take passes the record of an object to the agent.
func (f *feeder) take(o any, over func(agent.ResourceRef, []transition.Transition)) {
	object, ok := o.(kit.Object)
	if !ok {
		return
	}
	gvk, err := apiutil.GVKForObject(object, f.manager.GetScheme())
	if err != nil {
		return // a kind of the scheme
	}
	ref := agent.ResourceRef{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: string(object.GetUID())}
	if asked, ok := o.(*opsapi.Operation); ok {
		ref.State = operation.Progress(asked)
	}
	if gvk.Kind == "Cluster" {
		f.agent.Report(ref, agent.ConditionsOf(object.GetConditions()))
	}
	over(ref, object.GetTransitions())
}

// objects returns all objects of the three kinds.
func (f *feeder) objects(ctx context.Context) (out []kit.Object) {
	var (
		instances  appsapi.ApplicationInstanceList
		operations opsapi.OperationList
		clusters   opsapi.ClusterList
	)
	for _, list := range []client.ObjectList{&instances, &operations, &clusters} {
		if err := f.manager.GetClient().List(ctx, list); err != nil {
			return nil // the context has ended
		}
	}
	for i := range instances.Items {
		out = append(out, &instances.Items[i])
	}
	for i := range operations.Items {
		out = append(out, &operations.Items[i])
	}
	for i := range clusters.Items {
		out = append(out, &clusters.Items[i])
	}
	return out
}

// all takes over the transitions of all objects, in the order of their last ones.
func (f *feeder) all(ctx context.Context) {
	objects := f.objects(ctx)
	last := func(o kit.Object) time.Time {
		if t := o.GetTransitions(); len(t) > 0 {
			return t[len(t)-1].Time.Time
		}
		return time.Time{}
	}
	slices.SortStableFunc(objects, func(a, b kit.Object) int { return last(a).Compare(last(b)) })
	for _, o := range objects {
		f.take(o, f.agent.Take)
	}
}
