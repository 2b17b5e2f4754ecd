// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=egressapprovals,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=egressapprovals/status,verbs=patch

// active is the phase of a grant that was in force; Ready says whether it is.
const active = "Active"

const finalizer = "kars.azure.com/egressapproval-cleanup"

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return operator.Setup(e.Host, operator.Kind[*api.EgressApproval, Facts]{
		Resource: api.GroupVersion.WithResource("egressapprovals"), Conditions: Kind, Foreign: []string{"usageCount"},
		Gather:    gather(e),
		Creating:  func(f Facts) bool { return f.Fresh }, // the time is stored before the file is there
		Act:       act(e),
		Refused:   func(f *Facts, err error) { f.Left = err.Error() },
		Judge:     operator.JudgeWith[*api.EgressApproval](Begin, Judge),
		Conclude:  conclude,
		Finalizer: finalizer,
		Forget: func(ctx context.Context, r reconcile.Request) error {
			gone := &api.EgressApproval{ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name}}
			return e.Children.Remove(ctx, gone, recordOf(e, r.NamespacedName))
		},
		Guarded: func(o *api.EgressApproval) bool { return !finished(o) },
		Leaving: func(ctx context.Context, o *api.EgressApproval, now time.Time) (Facts, error) {
			f, err := look(ctx, e, o, now)
			if err != nil {
				return f, err
			}
			if err = shut(ctx, e, o, now); err == nil {
				return f, operator.ErrNotYet // it goes now
			}
			f.Left = err.Error()
			return f, nil
		},
		Delete: func(ctx context.Context, o *api.EgressApproval) (bool, error) {
			err := shut(ctx, e, o, e.Now())
			return err == nil, err
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
				WatchesRawSource(e.Echoes.Source(ofSandbox)).
				Watches(&corev1.ConfigMap{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
					labels := o.GetLabels()
					return grants(ctx, labels[kit.LabelSandboxOwner], labels[kit.LabelSandbox])
				}))
		},
	})
}

// finished reports whether Expired is stored: the file is gone.
func finished(o *api.EgressApproval) bool {
	degraded := meta.FindStatusCondition(o.Status.Conditions, TypeDegraded)
	return degraded != nil && degraded.Reason == ReasonExpired
}

// act publishes the grant, or removes it. The record of a grant is stored before its file exists and before it counts as expired.
func act(e *kit.Env) func(context.Context, *api.EgressApproval, *Facts) error {
	return func(ctx context.Context, o *api.EgressApproval, f *Facts) error {
		now := e.Now()
		switch {
		case !f.open() && f.Blocked == "":
			if err := shut(ctx, e, o, now); err != nil || !f.Expired {
				return err
			}
			if f.Record.expired.IsZero() {
				f.Record.expired = now
			}
			return f.keep(ctx, e, o)
		case f.Blocked != "": // no sandbox runs that could use the hosts; the time goes on
			return nil
		}
		err := f.keep(ctx, e, o)
		if err == nil {
			err = publish(ctx, e, sandboxOf(o), o, *f, now)
		}
		if err != nil {
			return fmt.Errorf("the file of the grant could not be written: %w", err)
		}
		return nil
	}
}

// keep stores the record of a grant, and its copy in the annotations.
func (f *Facts) keep(ctx context.Context, e *kit.Env, o *api.EgressApproval) error {
	f.Record.effective = f.Effective
	if err := remember(ctx, e, o, f.Record); err != nil {
		return err
	}
	if !f.Record.expired.IsZero() {
		return note(ctx, e, o, annotationExpired, f.Record.expired)
	}
	return note(ctx, e, o, annotationEffective, f.Effective)
}

// shut removes the file of a grant.
func shut(ctx context.Context, e *kit.Env, o *api.EgressApproval, now time.Time) error {
	err := publish(ctx, e, sandboxOf(o), o, Facts{Expired: true}, now)
	var owned *child.OwnedError
	if err == nil || errors.As(err, &owned) { // of a ConfigMap of another owner no file is ours
		return nil
	}
	return fmt.Errorf("the file of the grant could not be removed: %w", err)
}

func conclude(o *api.EgressApproval, f Facts, _ conditions.Result, now time.Time) operator.Conclusion {
	phase, merged, again := "", f.Merged, time.Time{}
	switch {
	case f.Left != "": // a grant that was in force is Active until its file is gone
		merged = o.Status.MergedDigest
		if o.Status.Phase == active {
			phase = active
		}
	case f.Expired:
		merged = o.Status.MergedDigest
		if controllerutil.ContainsFinalizer(o, finalizer) {
			again = now // to remove it, once Expired is stored
		}
	case o.Status.Phase == active: // Pending, Active, Expired: a grant never goes back
		phase = active
	}
	if !f.Expired && !f.Expires.IsZero() {
		for _, at := range []time.Time{now.Add(kit.GrantPoll), f.Expires} {
			if again.IsZero() || at.Before(again) {
				again = at
			}
		}
	}
	return operator.Conclusion{Again: again, Status: &api.EgressApprovalStatus{
		Common:       api.Common{Phase: phase},
		EffectiveAt:  operator.Time(f.Effective),
		ExpiresAt:    operator.Time(f.Expires),
		MergedDigest: merged,
		HostCount:    f.Hosts,
	}}
}
