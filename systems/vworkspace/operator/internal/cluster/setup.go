// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// +kubebuilder:rbac:groups=ops.vworkspace.io,resources=clusters,verbs=list;watch
// +kubebuilder:rbac:groups=ops.vworkspace.io,resources=clusters/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
// +kubebuilder:rbac:groups="",namespace=vworkspace-system,resources=secrets,verbs=get;create
// +kubebuilder:rbac:groups="",namespace=vworkspace-system,resources=secrets,resourceNames=vworkspace-agent-credentials,verbs=patch
// +kubebuilder:rbac:groups="",namespace=vworkspace-system,resources=configmaps,verbs=get;list;watch;create
// +kubebuilder:rbac:groups="",namespace=vworkspace-system,resources=configmaps,resourceNames=vworkspace-agent-journal,verbs=patch

// Setup adds the kind to the operator.
func Setup(e *kit.Env) error {
	changed := &enqueue.Signal{}
	e.Agent.Changed = func() { changed.Wake(types.NamespacedName{Name: e.ClusterID}) }
	own := enqueue.Mapped(func(context.Context, client.Object) []reconcile.Request { return enqueue.Named("", e.ClusterID) })
	return operator.Setup(e.Host, operator.Kind[*api.Cluster, Facts]{
		Resource: api.GroupVersion.WithResource("clusters"), Conditions: Kind, ClusterScoped: true,
		Ignore:   func(_ context.Context, o *api.Cluster) (bool, error) { return o.Name != e.ClusterID, nil },
		Gather:   gather(e),
		Judge:    judge,
		Conclude: conclude,
		After: func(_ context.Context, o *api.Cluster, f Facts, _ func(reason, note string)) error {
			off := is(judge(o, f, f.Now).Commit(), TypeDisconnected)
			configure(e, o, off)
			state := 0
			if f.View.Link.Tried() {
				if state = 1; off {
					state = -1
				}
			}
			e.Agent.Counter.Connectivity(state)
			return nil
		},
		Forget: func(_ context.Context, r ctrl.Request) error {
			if r.Name == e.ClusterID {
				e.Agent.Configure(agent.Config{}, false)
			}
			return nil
		},
		Watch: func(b *builder.Builder) *builder.Builder {
			return b.Watches(&appsv1.Deployment{}, own).WatchesRawSource(changed.Source(&handler.EnqueueRequestForObject{}))
		},
	})
}

var judge = operator.JudgeWith[*api.Cluster](Begin, Judge)

func conclude(o *api.Cluster, f Facts, result conditions.Result, now time.Time) operator.Conclusion {
	l := f.View.Link
	status := api.ClusterStatus{Phase: phase(o, l, result), LastContact: o.Status.LastContact, ObservedGeneration: o.Generation,
		Transitions: kit.Transitions(o, f.Taken, result, now)}
	for _, c := range f.Missing {
		status.Installable = append(status.Installable, api.Installable{Name: c.Name, Namespace: c.Namespace, Deployment: c.Deployment,
			Group: c.Group})
	}
	status.CredentialStatus, status.CredentialsSecretRef = o.Status.CredentialStatus, o.Status.CredentialsSecretRef
	if l.Auth != agent.AuthUnknown {
		status.CredentialStatus = map[agent.Auth]string{agent.AuthAccepted: "Valid", agent.AuthRejected: "Rejected", agent.AuthFailed: "Failed",
			agent.AuthExpired: "Expired"}[l.Auth]
	}
	if l.Registered {
		status.CredentialsSecretRef = agent.CredentialsName
	}
	if result.Changed && !l.LastSuccess.IsZero() {
		status.LastContact = operator.Time(l.LastSuccess)
	}
	return operator.Conclusion{Status: &status, Again: f.again()}
}

// phase returns the word for the printer column.
func phase(o *api.Cluster, l agent.Link, result conditions.Result) string {
	switch {
	case !l.Tried() && o.Status.Phase != "":
		return o.Status.Phase
	case !l.Tried():
		return "Pending"
	case l.Auth == agent.AuthRejected || l.Auth == agent.AuthExpired:
		return "Error"
	case is(result, TypeDisconnected):
		return "Disconnected"
	case !l.Registered:
		return "Registering"
	}
	return "Connected"
}

// is reports whether a condition of a result is True.
func is(result conditions.Result, conditionType string) bool {
	at := conditions.Find(result.Conditions(), conditionType)
	return at >= 0 && result.Conditions()[at].Status == conditions.True
}
