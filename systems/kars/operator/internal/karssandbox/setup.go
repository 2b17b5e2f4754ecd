// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=karssandboxes,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=karssandboxes/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=namespaces;configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=serviceaccounts;services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;create
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create

const finalizer = "kars.azure.com/namespace-cleanup"

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	var denied sync.Map // the servers that did not select a sandbox when it was judged last, by its name
	return operator.Setup(e.Host, operator.Kind[*api.KarsSandbox, Facts]{
		Resource: api.GroupVersion.WithResource("karssandboxes"), Conditions: Kind,
		Foreign:   []string{"sandboxPod", "agentIdentity", "foundryAgentId", "tokensUsed"},
		Gather:    gather(e),
		Creating:  func(f Facts) bool { return f.Missing && !f.Blocked() && f.Taken == "" && !f.Overlay && !f.Suspended },
		Act:       act(e),
		Refused:   func(f *Facts, err error) { f.WriteError = err },
		Judge:     operator.JudgeWith[*api.KarsSandbox](Begin, Judge),
		Conclude:  conclude(e),
		Finalizer: finalizer,
		Delete:    remove(e),
		Forget: func(ctx context.Context, r ctrl.Request) error {
			denied.Delete(r.NamespacedName)
			return clearLeft(ctx, e, r)
		},
		After: func(_ context.Context, o *api.KarsSandbox, f Facts, warn func(string, string)) error {
			edited := o.Status.ObservedGeneration != o.Generation
			was, known := denied.Swap(client.ObjectKeyFromObject(o), f.Denied)
			if slices.ContainsFunc(f.Denied, func(server string) bool {
				return edited || known && !slices.Contains(was.([]string), server)
			}) {
				warn("McpServerDenied", "spec.allowedSandboxes does not select the sandbox; it does not get: "+strings.Join(f.Denied, ", "))
			}
			if g := o.Spec.Governance; g != nil && g.McpServerRef != nil && len(g.McpServerRefs) == 0 && edited {
				warn("McpSingularDeprecated", "spec.governance.mcpServerRef is deprecated: use mcpServerRefs")
			}
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			b = e.WatchConfigMaps(b, "KarsSandbox", &api.KarsSandboxList{}).
				WatchesRawSource(e.Echoes.Source(&handler.EnqueueRequestForObject{})).
				Watches(&appsv1.Deployment{}, enqueue.Mapped(kit.SandboxOf)).
				Watches(&corev1.Namespace{}, enqueue.Mapped(kit.SandboxOf)).
				Watches(&corev1.ConfigMap{}, enqueue.Mapped(kit.SandboxOf)).
				Watches(&corev1.ServiceAccount{}, enqueue.Mapped(kit.SandboxOf)).
				Watches(&corev1.Service{}, enqueue.Mapped(kit.SandboxOf)).
				Watches(&networkingv1.NetworkPolicy{}, enqueue.Mapped(kit.SandboxOf)).
				Watches(&corev1.Namespace{}, enqueue.Mapped(namesakes(e))).
				Watches(&api.EgressApproval{}, enqueue.Mapped(func(_ context.Context, o client.Object) []reconcile.Request {
					return enqueue.Named(o.GetNamespace(), o.(*api.EgressApproval).Spec.Sandbox)
				}), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
				Watches(&api.KarsEval{}, enqueue.Mapped(func(_ context.Context, o client.Object) []reconcile.Request {
					return enqueue.Named(o.GetNamespace(), o.(*api.KarsEval).Spec.TargetSandboxRef.Name)
				}))
			for _, sibling := range []struct {
				object      client.Object
				kind, index string
			}{{&api.ToolPolicy{}, "ToolPolicy", kit.ByToolPolicy}, {&api.InferencePolicy{}, "InferencePolicy", kit.ByInference},
				{&api.KarsMemory{}, "KarsMemory", kit.ByMemory}, {&api.McpServer{}, "McpServer", kit.ByMcpServer},
				{&api.A2AAgent{}, "A2AAgent", kit.ByAgent}} {
				referrers := func(namespace, name string) []reconcile.Request {
					return enqueue.Requests(e.Referrers(context.Background(), namespace, name, sibling.index))
				}
				b = b.Watches(&corev1.ConfigMap{}, enqueue.OwnedBy(api.GroupVersion, sibling.kind, referrers)).
					Watches(sibling.object, enqueue.Mapped(func(_ context.Context, o client.Object) []reconcile.Request {
						return referrers(o.GetNamespace(), o.GetName())
					}))
			}
			return b
		},
	})
}

// namesakes enqueues the sandboxes of other namespaces that wait for the namespace of a sandbox.
func namesakes(e *kit.Env) func(context.Context, client.Object) []reconcile.Request {
	return func(ctx context.Context, o client.Object) []reconcile.Request {
		name, is := strings.CutPrefix(o.GetName(), kit.SandboxNamespace(""))
		if !is {
			return nil
		}
		return enqueue.Requests(enqueue.Indexed(ctx, e.Manager.GetClient(), &api.KarsSandboxList{}, "", kit.ByName, name))
	}
}

func conclude(e *kit.Env) func(*api.KarsSandbox, Facts, conditions.Result, time.Time) operator.Conclusion {
	return func(o *api.KarsSandbox, f Facts, _ conditions.Result, _ time.Time) operator.Conclusion {
		namespace := kit.SandboxNamespace(o.Name)
		if f.Blocked() && o.Status.Namespace == "" || f.Overlay || f.Taken != "" {
			namespace = ""
		}
		return operator.Conclusion{Status: &api.KarsSandboxStatus{
			AllowlistDigest:   artifactOf(o.Spec.NetworkPolicy),
			Namespace:         namespace,
			InferenceEndpoint: e.InferenceEndpoint,
			RuntimeKind:       o.Spec.Runtime.Kind,
		}}
	}
}
