// SPDX-License-Identifier: Apache-2.0

package toolpolicy

import (
	"context"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/operators/internal/enqueue"
	"github.com/tristate/tristate/operators/internal/field"
	"github.com/tristate/tristate/operators/internal/reconciler"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/digest"
	"github.com/tristate/tristate/operators/kars/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=toolpolicies,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=toolpolicies/status,verbs=patch

// ProfileName is the ConfigMap of a policy's profile.
func ProfileName(policy string) string { return "toolpolicy-" + policy + "-profile" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	kind := reconciler.Kind[*api.ToolPolicy, Facts]{
		Resource: api.GroupVersion.WithResource("toolpolicies"), Conditions: Kind, List: &api.ToolPolicyList{},
		New:      func() *api.ToolPolicy { return &api.ToolPolicy{} },
		Accepted: accepted,
		Gather:   gather(e),
		Act: func(ctx context.Context, o *api.ToolPolicy, f *Facts) {
			if len(f.Problems) > 0 || f.WriteError != nil {
				return
			}
			data := map[string]string{"profile.json": f.JSON}
			annotations := map[string]string{}
			if f.Profile != "" {
				data[digest.Names[digest.AgtProfile]] = f.Profile
				annotations[kit.AnnotationDigest] = f.Digest
			}
			f.WriteError = e.Children.Ensure(ctx, e.Children.ConfigMap(o, ProfileName(o.Name), data, annotations))
		},
		Judge: conclude,
		After: func(o *api.ToolPolicy, f Facts, warn func(string, string)) {
			if f.WriteError == nil && f.Enforced.Referrers > 0 && !f.Enforced.Done() && o.Status.AgtProfileDigest != f.Digest {
				warn("PolicyNotEnforced", f.Enforced.String())
			}
		},
	}
	kind.Watch = func(b *builder.Builder) *builder.Builder {
		b = e.WatchSandboxes(b, func(s *api.KarsSandbox) []string { return []string{kit.ToolPolicyOf(s)} })
		return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "ToolPolicy")).
			Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
				return e.IfSignerPolicy(ctx, o, &api.ToolPolicyList{})
			}))
	}
	return reconciler.Setup(e.Host, kind)
}

func accepted(o *api.ToolPolicy, now time.Time) reconciler.Judgement {
	p := Begin(o, now)
	p.Ready.Reconciling("")
	p.Progressing.Reconciling("")
	p.Degraded.Reconciled("")
	return reconciler.Judgement{Result: p.Commit(), Fields: kit.Fields(o, kit.Pending, nil)}
}

func conclude(o *api.ToolPolicy, f Facts, now time.Time) reconciler.Judgement {
	p := Begin(o, now)
	Judge(p, f)
	phase, hash := kit.Compiled, digest.Version([]byte(f.JSON))
	switch {
	case len(f.Problems) > 0:
		phase, hash = kit.Failed, o.Status.VersionHash
	case f.WriteError != nil:
		phase, hash = kit.Degraded, o.Status.VersionHash
	case f.Profile == "" || f.Enforced.Done():
		phase = kit.Ready
	}
	result := p.Commit()
	since, again := kit.Wait(result, ReasonAwaitingRouterEnforcement, f.Waiting)
	return reconciler.Judgement{Result: result, Again: again, Fields: kit.Fields(o, phase, apply.Fields{
		"waitingSince":           since,
		"lastCompiledAt":         field.Stamp(hash, o.Status.VersionHash, o.Status.LastCompiledAt, now),
		"versionHash":            field.Optional(hash),
		"agtProfileDigest":       field.Optional(f.Digest),
		"agtProfileBundleDigest": field.Optional(f.BundleDigest),
	})}
}
