// SPDX-License-Identifier: Apache-2.0

package inferencepolicy

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

// +kubebuilder:rbac:groups=kars.azure.com,resources=inferencepolicies,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=inferencepolicies/status,verbs=patch

// ProfileName returns the name of the ConfigMap of a policy's profile.
func ProfileName(policy string) string { return "inferencepolicy-" + policy + "-profile" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return operator.Setup(e.Host, operator.Kind[*api.InferencePolicy, Facts]{
		Resource: api.GroupVersion.WithResource("inferencepolicies"), Conditions: Kind,
		Gather: gather(e),
		Act: func(ctx context.Context, o *api.InferencePolicy, f *Facts) error {
			if !f.Written() {
				return nil
			}
			annotations := map[string]string{}
			if f.Loads {
				annotations[kit.AnnotationDigest] = f.Digest
			}
			return e.Children.Ensure(ctx, o, e.Children.ConfigMap(o, ProfileName(o.Name),
				map[string]string{digest.Names[digest.InferencePolicy]: f.Profile}, annotations))
		},
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.InferencePolicy](Begin, Judge),
		Conclude: conclude,
		After: func(_ context.Context, o *api.InferencePolicy, f Facts, warn func(string, string)) error {
			f.Warn(o, o.Status.CompiledDigest, warn)
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			b = e.WatchSandboxes(b, func(s *api.KarsSandbox) []string { return []string{s.Spec.InferenceRef.Name} })
			return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "InferencePolicy"))
		},
	})
}

func conclude(o *api.InferencePolicy, f Facts, _ conditions.Result, now time.Time) operator.Conclusion {
	hash, ref, loaded := o.Status.VersionHash, "", ""
	if f.Written() {
		hash = digest.Version([]byte(f.Profile))
		if f.Loads && f.Enforced.Done() {
			loaded = f.Digest
		}
	}
	if hash != "" {
		ref = ProfileName(o.Name)
	}
	return operator.Conclusion{Status: &api.InferencePolicyStatus{
		ProfileConfigMapRef: api.Ref(ref),
		VersionHash:         hash,
		LastCompiledAt:      operator.Stamp(hash, o.Status.VersionHash, o.Status.LastCompiledAt, now),
		CompiledDigest:      f.Digest,
		LoadedDigest:        loaded,
	}}
}
