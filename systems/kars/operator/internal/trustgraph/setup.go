// SPDX-License-Identifier: Apache-2.0

package trustgraph

import (
	"context"
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=kars.azure.com,resources=trustgraphs,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=kars.azure.com,resources=trustgraphs/status,verbs=patch

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	return operator.Setup(e.Host, operator.Kind[*api.TrustGraph, Facts]{
		Resource: api.GroupVersion.WithResource("trustgraphs"), Conditions: Kind, ClusterScoped: true,
		Gather: func(_ context.Context, o *api.TrustGraph, now time.Time) (Facts, error) {
			return Facts{Graph: Project(o.Spec, now)}, nil
		},
		Act: func(ctx context.Context, o *api.TrustGraph, f *Facts) error {
			if len(f.Graph.Vertices) == 0 {
				return nil
			}
			return e.Children.Ensure(ctx, o, projection(e, o, f.Graph))
		},
		Refused:  func(f *Facts, err error) { f.WriteError = err },
		Judge:    operator.JudgeWith[*api.TrustGraph](Begin, Judge),
		Conclude: conclude,
		After: func(_ context.Context, o *api.TrustGraph, f Facts, warn func(string, string)) error {
			if f.Graph.Invalid > 0 && (o.Status.ObservedGeneration != o.Generation || o.Status.InvalidEdges != f.Graph.Invalid) {
				for _, edge := range f.Graph.Failing {
					log.Log.Info("edge dropped", "trustgraph", o.Name, "edge", edge.ID, "why", edge.Why)
				}
				warn("EdgesDropped", fmt.Sprintf("%d edges were dropped; first: %s: %s", f.Graph.Invalid, f.Graph.Failing[0].ID,
					f.Graph.Failing[0].Why))
			}
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			return b.Watches(&corev1.ConfigMap{}, enqueue.OwnedBy(api.GroupVersion, "TrustGraph",
				func(_, owner string) []reconcile.Request { return enqueue.Named("", owner) }))
		},
	})
}

// name returns the name of the ConfigMap of a projection.
func name(o client.Object) string { return "trustgraph-" + o.GetName() + "-projection" }

func projection(e *kit.Env, o *api.TrustGraph, g Graph) *corev1.ConfigMap {
	child := e.Children.ConfigMap(o, name(o), map[string]string{"graph.json": g.JSON()}, nil)
	child.Namespace = e.Namespace
	return child
}

func conclude(o *api.TrustGraph, f Facts, result conditions.Result, now time.Time) operator.Conclusion {
	ref := name(o)
	if len(f.Graph.Vertices) == 0 || f.WriteError != nil {
		ref = ""
	}
	version := fmt.Sprint(o.Generation, f.Graph.Invalid, Kind.Phase(result.Conditions()))
	stored := fmt.Sprint(o.Status.ObservedGeneration, o.Status.InvalidEdges, o.Status.Phase)
	return operator.Conclusion{Again: f.Graph.Expires, Status: &api.TrustGraphStatus{
		ValidVertices:          int32(len(f.Graph.Vertices)),
		ValidEdges:             int32(len(f.Graph.Edges)),
		InvalidEdges:           f.Graph.Invalid,
		ProjectionConfigMapRef: api.Ref(ref),
		LastReconciledAt:       operator.Stamp(version, stored, o.Status.LastReconciledAt, now),
	}}
}
