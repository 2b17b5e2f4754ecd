// SPDX-License-Identifier: Apache-2.0

package karsmemory

import (
	"context"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=karsmemories,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=karsmemories/status,verbs=patch

// BindingName returns the name of the ConfigMap of a memory's binding.
func BindingName(memory string) string { return "karsmemory-" + memory + "-binding" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return operator.Setup(e.Host, operator.Kind[*api.KarsMemory, Facts]{
		Resource: api.GroupVersion.WithResource("karsmemories"), Conditions: Kind,
		Gather: gather(e),
		Act: func(ctx context.Context, o *api.KarsMemory, f *Facts) error {
			switch {
			case !f.Written():
				return nil
			case !f.Loads:
				return e.Children.Remove(ctx, o, e.Children.ConfigMap(o, BindingName(o.Name), nil, nil))
			default:
				return e.Children.Ensure(ctx, o,
					e.Children.ConfigMap(o, BindingName(o.Name), map[string]string{digest.Names[digest.Memory]: f.Binding},
						map[string]string{kit.AnnotationDigest: f.Digest}))
			}
		},
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.KarsMemory](Begin, Judge),
		Conclude: conclude,
		After: func(_ context.Context, o *api.KarsMemory, f Facts, warn func(string, string)) error {
			if f.Refused == "" && f.NoStore == "" {
				f.Warn(o, o.Status.CompiledDigest, warn)
			}
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			b = e.WatchSandboxes(b, func(s *api.KarsSandbox) []string { return []string{kit.MemoryOf(s)} })
			return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "KarsMemory"))
		},
	})
}

func conclude(o *api.KarsMemory, f Facts, result conditions.Result, now time.Time) operator.Conclusion {
	phase, hash, ref, loaded := Kind.Phase(result.Conditions()), o.Status.VersionHash, "", ""
	switch {
	case f.Written() && f.Loads:
		hash = digest.Version([]byte(f.Binding))
	case f.Written():
		hash = ""
	}
	if hash != "" {
		ref = BindingName(o.Name)
	}
	if f.Enforced.Done() {
		loaded = f.Digest
	}
	return operator.Conclusion{Status: &api.KarsMemoryStatus{
		BindingConfigMapRef: api.Ref(ref),
		VersionHash:         hash,
		LastReconciledAt:    operator.Stamp(hash+phase, o.Status.VersionHash+o.Status.Phase, o.Status.LastReconciledAt, now),
		CompiledDigest:      f.Digest,
		LoadedDigest:        loaded,
	}}
}
