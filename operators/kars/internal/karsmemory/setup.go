// SPDX-License-Identifier: Apache-2.0

package karsmemory

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

// +kubebuilder:rbac:groups=kars.azure.com,resources=karsmemories,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=karsmemories/status,verbs=patch

// BindingName is the ConfigMap of a memory's binding.
func BindingName(memory string) string { return "karsmemory-" + memory + "-binding" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	kind := reconciler.Kind[*api.KarsMemory, Facts]{
		Resource: api.GroupVersion.WithResource("karsmemories"), Conditions: Kind, List: &api.KarsMemoryList{},
		New:      func() *api.KarsMemory { return &api.KarsMemory{} },
		Accepted: accepted,
		Gather:   gather(e),
		Act: func(ctx context.Context, o *api.KarsMemory, f *Facts) {
			switch {
			case len(f.Problems) > 0 || f.WriteError != nil:
			case f.Binding == "":
				f.WriteError = e.Children.Remove(ctx, e.Children.ConfigMap(o, BindingName(o.Name), nil, nil))
			default:
				f.WriteError = e.Children.Ensure(ctx, e.Children.ConfigMap(o, BindingName(o.Name), map[string]string{digest.Names[digest.Memory]: f.Binding},
					map[string]string{kit.AnnotationDigest: f.Digest}))
			}
		},
		Judge: conclude,
		After: func(o *api.KarsMemory, f Facts, warn func(string, string)) {
			if f.WriteError == nil && f.Enforced.Referrers > 0 && !f.Enforced.Done() && o.Status.CompiledDigest != f.Digest {
				warn("PolicyNotEnforced", f.Enforced.String())
			}
		},
	}
	kind.Watch = func(b *builder.Builder) *builder.Builder {
		b = e.WatchSandboxes(b, func(s *api.KarsSandbox) []string { return []string{kit.MemoryOf(s)} })
		return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "KarsMemory")).
			Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
				return e.IfSignerPolicy(ctx, o, &api.KarsMemoryList{})
			}))
	}
	return reconciler.Setup(e.Host, kind)
}

func accepted(o *api.KarsMemory, now time.Time) reconciler.Judgement {
	p := Begin(o, now)
	p.Ready.Reconciling("")
	p.Progressing.Reconciling("")
	p.Degraded.Reconciled("")
	return reconciler.Judgement{Result: p.Commit(), Fields: kit.Fields(o, kit.Pending, nil)}
}

func conclude(o *api.KarsMemory, f Facts, now time.Time) reconciler.Judgement {
	p := Begin(o, now)
	Judge(p, f)
	phase, hash, ref, loaded := kit.Compiled, "", "", ""
	if f.Binding != "" {
		hash, ref = digest.Version([]byte(f.Binding)), BindingName(o.Name)
	}
	switch {
	case len(f.Problems) > 0:
		phase = kit.Failed
	case f.WriteError != nil || f.Refused != "" || f.Missing != "":
		phase = kit.Degraded
	case f.Binding == "" || f.Enforced.Done() && f.StoreSeen:
		phase = kit.Ready
	}
	if f.Enforced.Done() {
		loaded = f.Digest
	}
	result := p.Commit()
	since, again := kit.Wait(result, ReasonAwaitingRouterEnforcement, f.Waiting)
	return reconciler.Judgement{Result: result, Again: again, Fields: kit.Fields(o, phase, apply.Fields{
		"waitingSince":        since,
		"bindingConfigMapRef": field.Name(ref),
		"versionHash":         field.Optional(hash),
		"lastReconciledAt":    field.Stamp(hash+phase, o.Status.VersionHash+o.Status.Phase, o.Status.LastReconciledAt, now),
		"compiledDigest":      field.Optional(f.Digest),
		"loadedDigest":        field.Optional(loaded),
		"bundleRefDigest":     field.Optional(f.BundleDigest),
	})}
}
