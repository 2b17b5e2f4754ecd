// SPDX-License-Identifier: Apache-2.0

package toolpolicy

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

// +kubebuilder:rbac:groups=kars.azure.com,resources=toolpolicies,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=toolpolicies/status,verbs=patch

// ProfileName returns the name of the ConfigMap of a policy's profile.
func ProfileName(policy string) string { return "toolpolicy-" + policy + "-profile" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return operator.Setup(e.Host, operator.Kind[*api.ToolPolicy, Facts]{
		Resource: api.GroupVersion.WithResource("toolpolicies"), Conditions: Kind,
		Gather: gather(e),
		Act: func(ctx context.Context, o *api.ToolPolicy, f *Facts) error {
			if !f.Written() {
				return nil
			}
			data := map[string]string{"profile.json": f.JSON}
			annotations := map[string]string{}
			if f.Loads {
				data[digest.Names[digest.AgtProfile]] = f.Profile
				annotations[kit.AnnotationDigest] = f.Digest
			}
			return e.Children.Ensure(ctx, o, e.Children.ConfigMap(o, ProfileName(o.Name), data, annotations))
		},
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.ToolPolicy](Begin, Judge),
		Conclude: conclude,
		After: func(_ context.Context, o *api.ToolPolicy, f Facts, warn func(string, string)) error {
			f.Warn(o, o.Status.AgtProfileDigest, warn)
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			b = e.WatchSandboxes(b, func(s *api.KarsSandbox) []string { return []string{kit.ToolPolicyOf(s)} })
			return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "ToolPolicy"))
		},
	})
}

func conclude(o *api.ToolPolicy, f Facts, _ conditions.Result, now time.Time) operator.Conclusion {
	hash := o.Status.VersionHash
	if f.Written() {
		hash = digest.Version([]byte(f.JSON))
	}
	return operator.Conclusion{Status: &api.ToolPolicyStatus{
		LastCompiledAt:   operator.Stamp(hash, o.Status.VersionHash, o.Status.LastCompiledAt, now),
		VersionHash:      hash,
		AgtProfileDigest: f.Digest,
	}}
}
