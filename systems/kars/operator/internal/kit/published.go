// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"time"

	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Times of the queue.
const (
	Refresh   = 5 * time.Minute  // of facts that cannot be watched
	GrantPoll = 30 * time.Second // of grants, whose time may be moved
)

// Indexes of sandboxes, by the objects that they refer to.
const (
	ByToolPolicy = "toolPolicy"
	ByInference  = "inferencePolicy"
	ByMemory     = "memory"
	ByMcpServer  = "mcpServer"
	ByAgent      = "agent"
	ByTarget     = "target"  // of evaluations: the sandbox
	BySandbox    = "sandbox" // of grants: the sandbox
	ByName       = "name"    // of sandboxes in all namespaces
)

// DefaultToolPolicy governs a sandbox that names no policy and does not switch governance off.
const DefaultToolPolicy = "kars-default"

// ToolPolicyOf returns the policy that governs a sandbox; empty: none.
func ToolPolicyOf(s *api.KarsSandbox) string {
	g := s.Spec.Governance
	switch {
	case g == nil:
		return DefaultToolPolicy
	case g.Enabled != nil && !*g.Enabled:
		return ""
	case g.ToolPolicyRef == nil || g.ToolPolicyRef.Name == "":
		return DefaultToolPolicy
	}
	return g.ToolPolicyRef.Name
}

// McpServersOf returns the servers that a sandbox may call.
func McpServersOf(s *api.KarsSandbox) []string {
	g := s.Spec.Governance
	if g == nil {
		return nil
	}
	var out []string
	for _, ref := range g.McpServerRefs {
		out = append(out, ref.Name)
	}
	if len(out) == 0 && g.McpServerRef != nil {
		out = append(out, g.McpServerRef.Name)
	}
	return out
}

// AgentOf returns the agent whose card the router of a sandbox gets; empty: none.
func AgentOf(s *api.KarsSandbox) string {
	if a := s.Spec.A2A; a != nil && a.Enabled && a.AgentRef != nil {
		return a.AgentRef.Name
	}
	return ""
}

// MemoryOf returns the memory of a sandbox; empty: none.
func MemoryOf(s *api.KarsSandbox) string {
	if s.Spec.MemoryRef == nil {
		return ""
	}
	return s.Spec.MemoryRef.Name
}

// Selects reports whether labels of a selector are those of a sandbox. A selector without labels selects every sandbox.
func Selects(selector map[string]string, s *api.KarsSandbox) bool {
	return labels.SelectorFromSet(selector).Matches(labels.Set(s.Labels))
}

// Referrers lists the sandboxes that refer to an object.
func (e *Env) Referrers(ctx context.Context, namespace, name, index string) ([]types.NamespacedName, error) {
	return enqueue.Indexed(ctx, e.Manager.GetClient(), &api.KarsSandboxList{}, namespace, index, name)
}

// Enforced asks the store how far the routers of the referrers are, and has those polled soon that are behind.
func (e *Env) Enforced(referrers []types.NamespacedName, kind, digest, who string) (Enforcement, error) {
	outcome, err := Enforced(e.Store, e.Quorum, referrers, kind, digest)
	for _, sandbox := range referrers {
		report, _ := e.Store.Get(sandbox)
		e.Poller.Await(sandbox, who, !report.Reports(kind, digest))
	}
	return outcome, err
}

// WatchConfigMaps wakes an object of a kind when a ConfigMap that it owns changes, and all objects of the kind when the signer policy
// changes.
func (e *Env) WatchConfigMaps(b *builder.Builder, kind string, list client.ObjectList) *builder.Builder {
	return b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, kind)).
		Watches(&corev1.ConfigMap{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
			return e.IfSignerPolicy(ctx, o, list.DeepCopyObject().(client.ObjectList))
		}))
}

// WatchSandboxes wakes the objects that a sandbox refers to when the sandbox changes, and when its router reports something new.
func (e *Env) WatchSandboxes(b *builder.Builder, of func(*api.KarsSandbox) []string) *builder.Builder {
	requests := func(s *api.KarsSandbox) []reconcile.Request {
		var out []reconcile.Request
		for _, name := range of(s) {
			out = append(out, enqueue.Named(s.Namespace, name)...)
		}
		return out
	}
	return b.Watches(&api.KarsSandbox{}, enqueue.Mapped(func(_ context.Context, o client.Object) []reconcile.Request {
		return requests(o.(*api.KarsSandbox))
	})).WatchesRawSource(e.Echoes.Source(enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
		s := &api.KarsSandbox{}
		if err := e.Manager.GetClient().Get(ctx, client.ObjectKeyFromObject(o), s); err != nil {
			return nil // gone: its deletion wakes the same
		}
		return requests(s)
	})))
}
