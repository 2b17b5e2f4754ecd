// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byTarget is the index of operations by the name of their target.
const byTarget = "target"

// The times that an engine may run, unless the parameters of the operation or the operator have another one.
const (
	BackupTimeout  = 30 * time.Minute
	DefaultTimeout = 24 * time.Hour // of every other type
)

type gatherer struct {
	*kit.Env
	reserved reservations
}

func (g *gatherer) gather(ctx context.Context, o *api.Operation, now time.Time) (Facts, error) {
	if terminal(o) {
		g.reserved.release(o.UID)
		if o.Status.ObservedGeneration == o.Generation || !o.DeletionTimestamp.IsZero() {
			return Facts{}, operator.ErrNotYet
		}
		return Facts{Ended: true}, nil
	}
	mark := g.Agent.Mark(ctx, string(o.UID))
	if end := endOf(mark.State); end != "" {
		return Facts{Now: now, NoWebhook: !g.Webhook, Taken: mark.Sequence, Lost: end,
			Ran: slices.Contains([]string{ReasonEngineCompleted, ReasonEngineFailed, ReasonTimeout}, end)}, nil
	}
	f := Facts{Now: now, Taken: mark.Sequence, NoWebhook: !g.Webhook, Grace: cmp.Or(g.VanishedGrace, VanishedGrace), Timeout: g.limit(o),
		Wait: max(g.PreconditionTimeout, 0)}
	if d := o.Spec.PreconditionTimeout; d != nil {
		f.Wait = d.Duration
	}
	f.Overdue = Overdue{Engine: Kind.Overdue(o, TypeSucceeded, f.Timeout, now), Missing: Kind.Overdue(o, TypeRunning, f.Grace, now),
		Preconditions: Kind.Overdue(o, TypeBlocked, f.Wait, now)}
	if o.Annotations[api.AnnotationCancel] == "true" {
		f.Cancel = "cancelled by annotation " + api.AnnotationCancel
	}
	if !o.DeletionTimestamp.IsZero() {
		f.Cancel = "deleted while it was in flight"
	}
	if f.Resumed = o.Status.StartedAt == nil && mark.State == progressed; f.Resumed || o.Status.StartedAt != nil {
		if f.Started = now.UTC().Truncate(time.Second); !f.Resumed {
			f.Started = o.Status.StartedAt.Time
		}
		err := g.observe(ctx, o, &f)
		f.Ran = f.Engine.Phase == engine.Succeeded || f.Engine.Phase == engine.Failed || meta.IsStatusConditionTrue(o.Status.Conditions,
			TypeRunning)
		return f, err
	}
	if err := g.requirements(ctx, o, &f); err != nil {
		return f, err
	}
	if err := g.others(ctx, o, &f); err != nil {
		return f, err
	}
	if f.startable() {
		f.Started, f.Starting = now.UTC().Truncate(time.Second), true
	} else {
		g.reserved.release(o.UID)
	}
	return f, nil
}

// limit returns how long the engine of an operation may run; 0: for ever.
func (g *gatherer) limit(o *api.Operation) time.Duration {
	if s := o.Spec.Parameters.TimeoutSeconds; s > 0 {
		return time.Duration(s) * time.Second
	}
	if g.OperationTimeout < 0 {
		return 0
	}
	limit := DefaultTimeout
	if o.Spec.Type == engine.Backup {
		limit = BackupTimeout
	}
	return cmp.Or(g.OperationTimeout, limit)
}

// requirements checks the preconditions of the start, besides other operations.
func (g *gatherer) requirements(ctx context.Context, o *api.Operation, f *Facts) error {
	f.Problems = engine.Problems(o)
	cache := g.Manager.GetClient()
	target := &appsapi.ApplicationInstance{}
	err := cache.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.TargetRef.Name}, target)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	f.Release = target.Spec.Release.Name
	if err != nil || !target.DeletionTimestamp.IsZero() {
		f.Problems = append(f.Problems, fmt.Sprintf("the target ApplicationInstance %s does not exist", o.Spec.TargetRef.Name))
	}
	if c := meta.FindStatusCondition(target.Status.Conditions, "Ready"); err == nil && requiresReady(o) &&
		(c == nil || c.Status != metav1.ConditionTrue) {
		// Without the reason: a write for each step of the target would be one without a transition.
		f.Unready = fmt.Sprintf("ApplicationInstance %s is not Ready", o.Spec.TargetRef.Name)
	}
	problem, err := backupProblem(ctx, g.Env, o)
	if err != nil {
		return err
	}
	f.Problems = append(f.Problems, nonempty(problem, accountProblem(g.Env, o))...)
	if err := g.approval(ctx, o, target, f); err != nil {
		return err
	}
	if gvk := engine.Kind(o); !engine.BuiltIn(gvk) {
		f.Dependency, err = g.Absent(ctx, gvk)
		return err
	}
	return nil
}

func requiresReady(o *api.Operation) bool {
	if r := o.Spec.Policy.RequireReady; r != nil {
		return *r
	}
	return o.Spec.Type == engine.Backup || o.Spec.Type == engine.Upgrade || o.Spec.Type == engine.Migration
}

// others looks at the other operations on the target, and reserves the start where nothing is in the way.
func (g *gatherer) others(ctx context.Context, o *api.Operation, f *Facts) error {
	list, free, err := g.rivals(ctx, o, f.Now)
	if err != nil {
		return err
	}
	if newer := superseded(o, list); newer != nil {
		f.Superseded = newer.Name
	}
	if !f.startable() {
		f.Conflict = free(hasStarted)
		return nil
	}
	f.Conflict = g.reserved.start(o, free)
	return nil
}

// hasStarted reports whether the status of an operation says that it has started.
func hasStarted(o *api.Operation) bool { return o.Status.StartedAt != nil }

// rivals returns the operations on the target of an operation, and a function that describes the one in its way; an empty text: there is
// none.
func (g *gatherer) rivals(ctx context.Context, o *api.Operation, now time.Time) ([]api.Operation,
	func(started func(*api.Operation) bool) string, error) {
	var list api.OperationList
	if err := g.Manager.GetClient().List(ctx, &list, client.InNamespace(o.Namespace),
		client.MatchingFields{byTarget: o.Spec.TargetRef.Name}); err != nil {
		return nil, nil, err
	}
	var allowed concurrent
	if policy, err := g.Policy.Get(ctx); err == nil { // one that cannot be read allows nothing
		allowed = policy.ConcurrentOperations
	}
	elsewhere, err := g.elsewhere(ctx, o, list.Items, allowed, now)
	return list.Items, func(started func(*api.Operation) bool) string {
		if other := inTheWay(o, list.Items, allowed, elsewhere, started); other != nil {
			return other.Spec.Type + " " + other.Name + " is in flight on the same target"
		}
		return ""
	}, err
}

// elsewhere returns the older operations that wait for something that other operations cannot end. Their stored status may be of another
// time.
func (g *gatherer) elsewhere(ctx context.Context, o *api.Operation, others []api.Operation, allowed concurrent,
	now time.Time) (map[types.UID]bool, error) {
	out := map[types.UID]bool{}
	for i := range others {
		other := &others[i]
		if other.UID == o.UID || terminal(other) || other.Status.StartedAt != nil || !older(other, o) ||
			!allowed.conflict(o.Spec.Type, other.Spec.Type) {
			continue
		}
		f := Facts{Now: now}
		if err := g.requirements(ctx, other, &f); err != nil {
			return nil, err
		}
		out[other.UID] = len(f.Problems) > 0 || f.blocked() || !other.DeletionTimestamp.IsZero() ||
			other.Annotations[api.AnnotationCancel] == "true"
	}
	return out, nil
}

// observe reads the object of the engine. Only the one whose uid was stored at its creation is the operation's own.
func (g *gatherer) observe(ctx context.Context, o *api.Operation, f *Facts) error {
	gvk, uid := engine.Kind(o), g.reserved.made(o)
	key := client.ObjectKey{Namespace: engine.Namespace(o, g.VeleroNamespace()), Name: engine.Name(o)}
	if ref := o.Status.EngineRef; ref != nil {
		key = client.ObjectKey{Namespace: cmp.Or(ref.Namespace, o.Namespace), Name: ref.Name}
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	found := false
	if engine.BuiltIn(gvk) || g.Served.Serves(gvk) {
		err := g.Manager.GetClient().Get(ctx, key, u)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if found = err == nil; !found {
			// The cache has only objects of operations, and may be behind.
			err := g.Manager.GetAPIReader().Get(ctx, key, u)
			if client.IgnoreNotFound(err) != nil {
				return err
			}
			found = err == nil
		}
	}
	switch {
	case !found:
		f.Missing = true
		return nil
	case o.Spec.Engine == engine.Helm && !ofTarget(o, u):
		f.Foreign = fmt.Sprintf("%s %s belongs to another owner", gvk.Kind, key.Name)
		return nil
	case uid == "" && o.Spec.Engine != engine.Helm: // its creation was not stored, or another writer has made it
		target := &appsapi.ApplicationInstance{}
		if err := g.Manager.GetClient().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.TargetRef.Name},
			target); client.IgnoreNotFound(err) != nil {
			return err
		}
		content, err := g.approved(ctx, o, target, f)
		if err != nil && !errors.Is(err, claim.ErrChanged) {
			return err
		}
		desired, err := engine.Object(o, target, g.VeleroNamespace(), content)
		if err != nil {
			return nil // create says so
		}
		return g.recognize(ctx, desired, u, o, f)
	case uid != "" && uid != u.GetUID():
		f.Foreign = fmt.Sprintf("%s %s was replaced by another one", gvk.Kind, key.Name)
		return nil
	}
	f.own(o, u)
	return nil
}

// own records what the object of the engine says.
func (f *Facts) own(o *api.Operation, u *unstructured.Unstructured) {
	f.Exists, f.UID, f.Missing = true, string(u.GetUID()), false
	f.Engine = engine.Observe(o, u)
}

// recognize judges an object of the name of the operation's own, of which no uid is known. It is the operation's if the API server would
// make the same one of the request, to the last field. Its labels and its owner prove nothing: its author wrote them.
func (g *gatherer) recognize(ctx context.Context, desired, live *unstructured.Unstructured, o *api.Operation, f *Facts) error {
	would := desired.DeepCopy()
	would.SetName("")
	would.SetGenerateName("operation-")
	if err := g.Manager.GetClient().Create(ctx, would, client.DryRunAll, client.FieldOwner(kit.Manager)); err != nil {
		return fmt.Errorf("compare %s %s with the request: %w", live.GetKind(), live.GetName(), err)
	}
	if !live.GetDeletionTimestamp().IsZero() || !engine.Same(would, live) {
		f.Foreign = fmt.Sprintf("%s %s belongs to another owner: it is not what the operation asks for", live.GetKind(), live.GetName())
		return nil
	}
	f.own(o, live)
	return nil
}

// ofTarget reports whether a HelmRelease is the target's.
func ofTarget(o *api.Operation, u *unstructured.Unstructured) bool {
	return u.GetLabels()[child.LabelManaged] == kit.Manager && u.GetLabels()[appsapi.LabelInstance] == o.Spec.TargetRef.Name
}

// create creates the object of the engine. It is repeated until the object was seen once.
func (g *gatherer) create(ctx context.Context, o *api.Operation, f *Facts) error {
	target := &appsapi.ApplicationInstance{}
	if err := g.Manager.GetClient().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.TargetRef.Name}, target); err != nil {
		return fmt.Errorf("read the target: %w", err)
	}
	content, err := g.approved(ctx, o, target, f)
	switch {
	case errors.Is(err, claim.ErrChanged):
		f.Refused = err.Error()
		return nil
	case err != nil:
		return err
	}
	if o.Spec.Engine == engine.Helm {
		return g.upgrade(ctx, o, target)
	}
	u, err := engine.Object(o, target, g.VeleroNamespace(), content)
	if err != nil {
		f.Refused = err.Error()
		return nil
	}
	err = g.Manager.GetClient().Create(ctx, u, client.FieldOwner(kit.Manager))
	if apierrors.IsAlreadyExists(err) {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(u.GroupVersionKind())
		if err = g.Manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(u), live); err == nil {
			err = g.recognize(ctx, u, live, o, f)
		}
		return err
	}
	if err != nil {
		return err
	}
	g.reserved.created(o, u.GetUID())
	f.own(o, u)
	return nil
}

// upgrade sets the chart version of the target: its HelmRelease is rendered from it.
func (g *gatherer) upgrade(ctx context.Context, o *api.Operation, target *appsapi.ApplicationInstance) error {
	version := o.Spec.Parameters.Helm.TargetVersion
	if target.Spec.Chart.Version == version {
		return nil
	}
	before := target.DeepCopy()
	target.Spec.Chart.Version = version
	return g.Manager.GetClient().Patch(ctx, target, client.MergeFrom(before), client.FieldOwner(kit.Manager))
}

// remove deletes the object of an engine; helm has none of its own.
func (g *gatherer) remove(ctx context.Context, o *api.Operation, f *Facts) error {
	if o.Spec.Engine == engine.Helm || o.Status.EngineRef == nil {
		return nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(engine.Kind(o))
	u.SetNamespace(engine.Namespace(o, g.VeleroNamespace()))
	u.SetName(o.Status.EngineRef.Name)
	uid := types.UID(f.UID)
	return ignoreGone(g.Manager.GetClient().Delete(ctx, u, client.PropagationPolicy(metav1.DeletePropagationBackground),
		client.Preconditions{UID: &uid}))
}

// Admission returns the function by which the webhook judges an operation that is created, with the rules of the reconciler. problems are
// those of the request itself, which no other object can end; a target that does not exist yet is none. conflict is the operation that it
// will wait for; empty: none.
func Admission(e *kit.Env) func(context.Context, *api.Operation) (problems []string, conflict string, err error) {
	g := &gatherer{Env: e}
	return func(ctx context.Context, o *api.Operation) ([]string, string, error) {
		if problems := engine.Problems(o); len(problems) > 0 {
			return problems, "", nil
		}
		_, free, err := g.rivals(ctx, o, e.Now())
		if err != nil {
			return nil, "", err
		}
		return nil, free(hasStarted), nil
	}
}
