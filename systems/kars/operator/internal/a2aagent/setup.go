// SPDX-License-Identifier: Apache-2.0

package a2aagent

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
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=a2aagents,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=a2aagents/status,verbs=patch

// CardKey is the key of the card in its ConfigMap.
const CardKey = "agent.json"

// CardName returns the name of the ConfigMap of an agent's card.
func CardName(agent string) string { return "a2aagent-" + agent + "-card" }

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return operator.Setup(e.Host, operator.Kind[*api.A2AAgent, Facts]{
		Resource: api.GroupVersion.WithResource("a2aagents"), Conditions: Kind,
		Gather: func(ctx context.Context, o *api.A2AAgent, now time.Time) (Facts, error) {
			f := Facts{Card: Card(o)}
			f.Problems, _ = Check(o.Spec, now)
			exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: o.Namespace, Name: CardName(o.Name)}, &corev1.ConfigMap{})
			f.Missing = !exists && o.Status.VersionHash == ""
			if err == nil {
				f.Absent, err = e.Absent(ctx, o.Namespace, siblings(o)...)
			}
			return f, err
		},
		Creating: func(f Facts) bool { return f.Missing && f.compiles() },
		Act: func(ctx context.Context, o *api.A2AAgent, f *Facts) error {
			f.Missing = false
			if !f.compiles() {
				return nil
			}
			return e.Children.Ensure(ctx, o, e.Children.ConfigMap(o, CardName(o.Name), map[string]string{CardKey: f.Card},
				map[string]string{kit.AnnotationDigest: digest.Version([]byte(f.Card))}))
		},
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.A2AAgent](Begin, Judge),
		Conclude: conclude,
		Watch: func(b *builder.Builder) *builder.Builder {
			return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "A2AAgent"))
		},
	})
}

// siblings returns the objects that an agent names.
func siblings(o *api.A2AAgent) (out []kit.Sibling) {
	if p := o.Spec.PolicyRefs; p != nil {
		out = append(out, kit.Sibling{Name: p.ToolPolicy, Object: &api.ToolPolicy{}, Kind: "ToolPolicy"})
	}
	for _, peer := range o.Spec.Federation {
		if peer.AgentRef != nil {
			out = append(out, kit.Sibling{Name: peer.AgentRef.Name, Object: &api.A2AAgent{}, Kind: "A2AAgent"})
		}
	}
	return out
}

// conclude keeps the last success where a pass fails: hash, time and reference move together.
func conclude(o *api.A2AAgent, f Facts, _ conditions.Result, now time.Time) operator.Conclusion {
	hash := digest.Version([]byte(f.Card))
	switch {
	case !f.compiles() || f.WriteError != nil:
		hash = o.Status.VersionHash
	case f.Missing:
		hash = ""
	}
	ref := ""
	if hash != "" {
		ref = CardName(o.Name)
	}
	_, next := Check(o.Spec, now)
	return operator.Conclusion{Again: next, Status: &api.A2AAgentStatus{
		AgentCardConfigMapRef: api.Ref(ref),
		VersionHash:           hash,
		LastCompiledAt:        operator.Stamp(hash, o.Status.VersionHash, o.Status.LastCompiledAt, now),
	}}
}
