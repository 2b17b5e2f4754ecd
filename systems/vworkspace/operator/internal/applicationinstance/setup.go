// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"context"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=apps.vworkspace.io,resources=applicationinstances,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps.vworkspace.io,resources=applicationinstances/status,verbs=patch
// +kubebuilder:rbac:groups=apps.vworkspace.io,resources=applicationinstances/finalizers,verbs=update
// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=ocirepositories;helmrepositories,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=helm.toolkit.fluxcd.io,resources=helmreleases,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificates,verbs=get;list;watch
// +kubebuilder:rbac:groups=external-secrets.io,resources=externalsecrets,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets;configmaps,verbs=get
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch

const finalizer = "apps.vworkspace.io/finalizer"

// Setup adds the kind to the operator. probed has the instances of which a probe has another result.
func Setup(e *kit.Env, probed *enqueue.Signal) error {
	g := &gatherer{e}
	cache := e.Manager.GetClient()
	// byLabels enqueues the instance that the labels of an object name, directly or by its release.
	byLabels := enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
		labels := o.GetLabels()
		if name := labels[api.LabelInstance]; name != "" {
			return enqueue.Named(o.GetNamespace(), name)
		}
		return enqueue.Requests(enqueue.Indexed(ctx, cache, &api.ApplicationInstanceList{}, o.GetNamespace(), byRelease,
			labels["app.kubernetes.io/instance"]))
	})
	all := enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
		if o.GetNamespace() != e.Namespace || o.GetName() != kit.PolicyName {
			return nil
		}
		return enqueue.Requests(enqueue.All(ctx, cache, &api.ApplicationInstanceList{}))
	})
	if err := e.Manager.GetFieldIndexer().IndexField(context.Background(), &api.ApplicationInstance{}, byRelease,
		func(o client.Object) []string {
			return []string{o.(*api.ApplicationInstance).Spec.Release.Name}
		}); err != nil {
		return err
	}
	return operator.Setup(e.Host, operator.Kind[*api.ApplicationInstance, Facts]{
		Resource: api.GroupVersion.WithResource("applicationinstances"), Conditions: Kind,
		Ignore: kit.Ignore[*api.ApplicationInstance](e),
		Gather: g.gather, Act: g.act, Refused: unwritten, Judge: judge,
		Conclude:  conclude,
		Finalizer: finalizer,
		Leaving: func(ctx context.Context, o *api.ApplicationInstance, now time.Time) (Facts, error) {
			f, err := g.gather(ctx, o, now)
			if err != nil {
				return f, err
			}
			if err = g.leaving(ctx, o, &f); err == nil && !f.ReleaseLeft && len(f.Children) == 0 {
				return f, operator.ErrNotYet // it goes now
			}
			return f, err
		},
		Delete: g.gone,
		Forget: func(_ context.Context, r ctrl.Request) error {
			e.Probes.Watch(r.NamespacedName, nil)
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			return e.Namespaces(b, &api.ApplicationInstanceList{}).Watches(&corev1.ConfigMap{}, all).
				WatchesRawSource(probed.Source(&handler.EnqueueRequestForObject{}))
		},
		Built: func(c controller.Controller) {
			for _, kind := range kit.Kinds {
				switch kind.Group {
				case "source.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io", "cert-manager.io", "external-secrets.io":
					e.Served.Want(kind.GroupVersionKind, c, byLabels)
				}
			}
		},
	})
}

// byRelease is the index of instances by the name of their release.
const byRelease = "release"

var judge = operator.JudgeWith[*api.ApplicationInstance](Begin, Judge)

func conclude(o *api.ApplicationInstance, f Facts, result conditions.Result, now time.Time) operator.Conclusion {
	status := api.ApplicationInstanceStatus{LastAppliedChart: o.Status.LastAppliedChart, ReleasedAt: o.Status.ReleasedAt,
		RenderedVersion: f.Rendered, RenderedDigest: f.RenderedDigest, Approval: f.Approval,
		Endpoints: f.Endpoints, UnreachableEndpoint: f.Endpoint, Inventory: f.Inventory,
		ObservedGeneration: o.Generation, Transitions: kit.Transitions(o, f.Taken, result, now)}
	if f.Release.Exists {
		status.HelmReleaseRef = &api.SecretRef{Name: o.Spec.Release.Name}
	}
	if f.Release.Ready {
		status.LastAppliedChart = o.Spec.Chart.Name + "@" + f.Release.Version
		if o.Status.ReleasedAt == nil {
			status.ReleasedAt = operator.Time(now)
		}
	}
	again := kit.Sooner(f.Changes, f.ApprovalTo)
	if f.Retry { // no watch reports that the policy or the permissions have changed
		again = kit.Sooner(again, now.Add(operator.Retry))
	}
	return operator.Conclusion{Status: &status, Again: again}
}
