// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/served"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Manager is the field manager of everything that the operator writes.
const Manager = "vworkspace-operator"

// Domain is that of the annotations of children.
const Domain = "app.vworkspace.io"

// AnnotationVersion has, on a HelmRelease, the chart version that it was rendered for: of an OCI chart the version is in the source.
const AnnotationVersion = "app.vworkspace.io/chart-version"

// SameVersion compares chart versions. Flux appends the digest of an OCI artifact as build metadata.
func SameVersion(released, wanted string) bool {
	if !strings.Contains(wanted, "+") {
		released, _, _ = strings.Cut(released, "+")
	}
	return released == wanted
}

// Labels of the gates.
const (
	LabelManagedBy    = "app.vworkspace.io/managed-by"
	ManagedBy         = "control-plane"
	LabelClusterID    = "app.vworkspace.io/cluster-id"
	LabelNamespace    = "managed-by"
	ManagedNamespace  = "vworkspace"
	ApprovalKeySecret = "vworkspace-approval-keys" // public keys of claims, by the ids of the keys
)

// Settings are what an administrator configures of the kinds.
type Settings struct {
	Namespace           string        // of the operator; empty: vworkspace-system
	ClusterID           string        // and name of the Cluster
	PreconditionTimeout time.Duration // of operations; 0: an hour; negative: for ever
	OperationTimeout    time.Duration // of their engines; 0: the defaults of package operation; negative: for ever
	ReleaseAccount      string        // ServiceAccount of an instance's namespace that Flux installs its chart as; empty: Flux's own
	ChartUnreachable    time.Duration // until an instance is degraded; 0: five minutes
	VanishedGrace       time.Duration // how long the object of an engine may be missing; 0: the default of package operation
	Controllers         []Controller  // of other projects; nil: [DefaultControllers]
	// OperationAccounts are the names of the ServiceAccounts that Jobs of operations may run under, in their namespaces.
	OperationAccounts []string
	// SharedBackups selects the Backups of Velero that operations of every namespace may restore from; nil: none.
	SharedBackups labels.Selector
}

// Env has everything that the reconcilers of all kinds share. It is set before use and not changed afterwards.
type Env struct {
	*operator.Host
	Settings
	Agent   *agent.Agent
	Served  *served.Kinds
	Policy  *Policies
	Webhook bool // requests of operations are validated at admission
	Probes  Prober
}

// Prober has the results of the probes of an instance. A new result wakes the reconciler.
type Prober interface {
	// Watch sets the probes of an instance.
	Watch(instance client.ObjectKey, probes []Probe)
	// Results are those of the instance's probes, by name; one that is absent has not been tried.
	Results(instance client.ObjectKey) map[string]ProbeResult
}

// Probe is a readiness check over the network: a URL or a TCP address.
type Probe struct {
	Name, URL, TCP string
	Threshold      int32
}

// ProbeResult is the outcome of a probe.
type ProbeResult struct {
	Failed bool // as often in a row as the threshold
	Reason string
}

// Object is an object of one of the kinds.
type Object interface {
	operator.Object
	GetTransitions() []transition.Transition
}

// Ignore returns the gate of the kinds that live in namespaces.
func Ignore[T client.Object](e *Env) func(context.Context, T) (bool, error) {
	return func(ctx context.Context, o T) (bool, error) {
		labels := o.GetLabels()
		if id, ok := labels[LabelClusterID]; labels[LabelManagedBy] != ManagedBy || ok && id != e.ClusterID {
			return true, nil
		}
		namespace := &metav1.PartialObjectMetadata{}
		namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
		if err := e.Manager.GetClient().Get(ctx, client.ObjectKey{Name: o.GetNamespace()}, namespace); err != nil {
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		}
		return namespace.Labels[LabelNamespace] != ManagedNamespace, nil
	}
}

// Namespaces adds a watch of namespaces to the reconciler of a kind, of which list is an empty list: the objects of one that comes, or has
// other labels, are judged. They may have been seen, and ignored, before it.
func (e *Env) Namespaces(b *builder.Builder, list client.ObjectList) *builder.Builder {
	in := func(ctx context.Context, o client.Object) []reconcile.Request {
		return enqueue.Requests(enqueue.All(ctx, e.Manager.GetClient(), list.DeepCopyObject().(client.ObjectList),
			client.InNamespace(o.GetName())))
	}
	return b.WatchesMetadata(&corev1.Namespace{}, enqueue.Mapped(in), builder.WithPredicates(predicate.LabelChangedPredicate{}))
}

// Transitions returns the record of an object after a pass. last is the number of its last transition that the agent has.
func Transitions(o Object, last int64, result conditions.Result, now time.Time) []transition.Transition {
	return record(o.GetTransitions(), last, o.GetConditions(), result.Conditions(), o.GetGeneration(), now)
}

// Sooner returns the earlier of some times; a zero one is never.
func Sooner(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// ApprovalKeys returns the public keys of claims; they are never cached.
func (e *Env) ApprovalKeys(ctx context.Context) (claim.Keys, error) {
	var secret corev1.Secret
	err := e.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: ApprovalKeySecret}, &secret)
	return claim.ParseKeys(secret.Data), client.IgnoreNotFound(err)
}
