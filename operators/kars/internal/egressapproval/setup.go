// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"context"
	"time"

	"github.com/tristate/tristate/operators/internal/enqueue"
	"github.com/tristate/tristate/operators/internal/reconciler"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=egressapprovals,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=egressapprovals/status,verbs=patch

const finalizer = "kars.azure.com/egressapproval-cleanup"

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return reconciler.Setup(e.Host, reconciler.Kind[*api.EgressApproval, Facts]{
		Resource: api.GroupVersion.WithResource("egressapprovals"), Conditions: Kind,
		Accepted: func(o *api.EgressApproval, now time.Time) reconciler.Judgement {
			p := Begin(o, now)
			return kit.Accepted(o, p, p.Ready.Reconciling, p.Progressing.Reconciling, p.Degraded.Reconciling)
		},
		Gather: gather(e),
		Act: func(ctx context.Context, o *api.EgressApproval, f *Facts) {
			if f.Blocked != "" {
				return // nobody runs that could use the hosts; the time goes on
			}
			if err := mount(ctx, e, o, *f); err != nil && f.open() {
				f.Confirmed, f.Lag = false, err.Error()
			}
		},
		Judge:     conclude,
		Finalizer: finalizer,
		Guarded:   func(o *api.EgressApproval) bool { return !wasExpired(o) },
		Delete: func(ctx context.Context, o *api.EgressApproval) (bool, error) {
			return true, mount(ctx, e, o, Facts{Expired: true})
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			grants := func(ctx context.Context, namespace, sandbox string) []reconcile.Request {
				if sandbox == "" {
					return nil
				}
				return enqueue.Requests(enqueue.Indexed(ctx, e.Manager.GetClient(), &api.EgressApprovalList{}, namespace, kit.BySandbox, sandbox))
			}
			ofSandbox := enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
				return grants(ctx, o.GetNamespace(), o.GetName())
			})
			return b.Watches(&api.KarsSandbox{}, ofSandbox).
				WatchesRawSource(source.Channel(e.Echoes(), ofSandbox)).
				Watches(&corev1.ConfigMap{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
					labels := o.GetLabels()
					return grants(ctx, labels[kit.LabelSandboxOwner], labels[kit.LabelSandbox])
				}))
		},
	})
}

func conclude(o *api.EgressApproval, f Facts, now time.Time) reconciler.Judgement {
	p := Begin(o, now)
	Judge(p, f)
	result, phase := p.Commit(), kit.Pending
	wait, again := kit.Wait(result, ReasonAwaitingRouterEcho, f.Waiting)
	merged := f.Merged
	switch {
	case f.Expired:
		phase, merged = "Expired", o.Status.MergedDigest
		if controllerutil.ContainsFinalizer(o, finalizer) {
			again = now // to remove it, once Expired is stored
		}
	case f.open() && f.Confirmed:
		phase = "Active"
	}
	if !f.Expired && !f.Expires.IsZero() {
		for _, at := range []time.Time{now.Add(kit.GrantPoll), f.Expires} {
			if again.IsZero() || at.Before(again) {
				again = at
			}
		}
	}
	return reconciler.Judgement{Result: result, Again: again, Fields: reconciler.Fields(&api.EgressApprovalStatus{
		Common:       kit.Common(o, phase),
		Wait:         wait,
		EffectiveAt:  reconciler.Time(f.Effective),
		ExpiresAt:    reconciler.Time(f.Expires),
		MergedDigest: merged,
		HostCount:    f.Hosts,
	}, "usageCount")}
}
