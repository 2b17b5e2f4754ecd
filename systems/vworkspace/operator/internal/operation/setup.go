// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/operator/enqueue"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=ops.vworkspace.io,resources=operations,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=ops.vworkspace.io,resources=operations/status,verbs=patch
// +kubebuilder:rbac:groups=ops.vworkspace.io,resources=operations/finalizers,verbs=update
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=velero.io,resources=backups;restores,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=argoproj.io,resources=workflows,verbs=get;list;watch;create;delete

const finalizer = "ops.vworkspace.io/finalizer"

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	g := &gatherer{Env: e}
	if err := e.Manager.GetFieldIndexer().IndexField(context.Background(), &api.Operation{}, byTarget, func(o client.Object) []string {
		return []string{o.(*api.Operation).Spec.TargetRef.Name}
	}); err != nil {
		return err
	}
	cache := e.Manager.GetClient()
	ofTarget := func(ctx context.Context, namespace, target, except string) (out []reconcile.Request) {
		var list api.OperationList
		if err := cache.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{byTarget: target}); err != nil {
			return nil
		}
		for i := range list.Items {
			if o := &list.Items[i]; o.Name != except && !terminal(o) {
				out = append(out, enqueue.Named(namespace, o.Name)...)
			}
		}
		return out
	}
	return operator.Setup(e.Host, operator.Kind[*api.Operation, Facts]{
		Resource: api.GroupVersion.WithResource("operations"), Conditions: Kind,
		Ignore:   kit.Ignore[*api.Operation](e),
		Gather:   g.gather,
		Creating: func(f Facts) bool { return f.Starting },
		Act: func(ctx context.Context, o *api.Operation, f *Facts) error {
			seen := f.Resumed || g.reserved.made(o) != ""
			switch {
			case f.clean() && f.Exists:
				return g.remove(ctx, o, f)
			case f.end() == "" && (f.Starting || !f.Started.IsZero() && !f.Exists && !seen):
				return g.create(ctx, o, f)
			}
			return nil
		},
		Refused:   unwritten,
		Judge:     judge,
		Conclude:  g.conclude,
		Finalizer: finalizer,
		Leaving: func(ctx context.Context, o *api.Operation, now time.Time) (Facts, error) {
			f, err := g.gather(ctx, o, now)
			if err == nil && f.clean() && f.Exists {
				err = g.remove(ctx, o, &f)
			}
			return f, err
		},
		Delete: func(_ context.Context, o *api.Operation) (bool, error) {
			return e.Agent.Stored(string(o.UID), o.Status.Transitions), nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			job := &unstructured.Unstructured{}
			job.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
			return e.Namespaces(b, &api.OperationList{}).Watches(job, byLabel).
				Watches(&appsapi.ApplicationInstance{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
					return ofTarget(ctx, o.GetNamespace(), o.GetName(), "")
				})).
				Watches(&api.Operation{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
					return ofTarget(ctx, o.GetNamespace(), o.(*api.Operation).Spec.TargetRef.Name, o.GetName())
				}))
		},
		Built: func(c controller.Controller) {
			for _, kind := range kit.Kinds {
				switch kind.Group {
				case "velero.io", "argoproj.io":
					e.Served.Want(kind.GroupVersionKind, c, byLabel)
				}
			}
			e.Served.Want(kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease"), c,
				enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
					return ofTarget(ctx, o.GetNamespace(), o.GetLabels()[appsapi.LabelInstance], "")
				}))
		},
	})
}

// byLabel enqueues the operation that the object of an engine belongs to.
var byLabel = enqueue.Labelled(engine.LabelNamespace, "ops.vworkspace.io/operation-name")

// ignoreGone takes an object, or a kind, that does not exist for one that was deleted.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) || meta.IsNoMatchError(err) {
		return nil
	}
	return err
}

// unwritten makes a fact of an object that could not be created or deleted: an error of its creation that no retry mends ends the
// operation, any other is tried again.
func unwritten(f *Facts, err error) {
	if f.clean() {
		f.Unwritten = "delete the object of the engine: " + child.Reason(err)
	} else if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsNotFound(err) ||
		apierrors.IsMethodNotSupported(err) {
		f.Refused = child.Reason(err)
	} else {
		f.Unwritten = child.Reason(err)
	}
}

// judge makes a pass. An operation that has ended keeps its conditions, of which the generation is observed: its status holds for the
// edited spec too. Without it every reader takes an operation that is over for one that is about to run.
func judge(o *api.Operation, f Facts, now time.Time) operator.Pass {
	p := Begin(o, now)
	if !f.Ended {
		Judge(p, f)
		return p
	}
	p.Repeat()
	return p
}

func (g *gatherer) conclude(o *api.Operation, f Facts, result conditions.Result, now time.Time) operator.Conclusion {
	if f.Ended {
		status := o.Status
		status.ObservedGeneration, status.Transitions = o.Generation, kit.Transitions(o, f.Taken, result, now)
		return operator.Conclusion{Status: &status}
	}
	status := api.OperationStatus{Phase: phase(f, result), ObservedGeneration: o.Generation,
		Transitions: kit.Transitions(o, f.Taken, result, now)}
	if status.Approval = f.Approval; f.Approval == nil {
		status.Approval = o.Status.Approval // it is not looked at again once the operation has started
	}
	if !f.Started.IsZero() {
		status.StartedAt, status.EngineRef = operator.Time(f.Started), g.reference(o, f)
	}
	if status.Phase != Pending && status.Phase != Running {
		status.FinishedAt = operator.Time(now)
	}
	return operator.Conclusion{Status: &status, Again: f.again()}
}

// reference names the object of the engine.
func (g *gatherer) reference(o *api.Operation, f Facts) *api.EngineRef {
	gvk := engine.Kind(o)
	ref := &api.EngineRef{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Namespace: engine.Namespace(o, g.VeleroNamespace()), Name: engine.Name(o), UID: f.UID}
	if o.Spec.Engine == engine.Helm {
		ref.Name = f.Release
	}
	if was := o.Status.EngineRef; was != nil {
		ref.Name = was.Name
		if f.UID == "" {
			ref.UID = was.UID
		}
	}
	return ref
}
