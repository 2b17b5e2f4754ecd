// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tristate/tristate/operators/internal/reconciler"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/digest"
	"github.com/tristate/tristate/operators/kars/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key returns the key of a grant in the ConfigMap of its sandbox.
func Key(approval string) string { return "approval-" + approval + ".json" }

// wasExpired reports whether a grant has expired before: then it stays so, whatever is edited.
func wasExpired(o *api.EgressApproval) bool {
	ready := meta.FindStatusCondition(o.Status.Conditions, TypeReady)
	return ready != nil && ready.Reason == ReasonExpired
}

// check returns the facts of the spec and the clock.
func check(o *api.EgressApproval, ceiling time.Duration, now time.Time) Facts {
	f := Facts{Reason: reasonProblem(o.Spec.Reason), Hosts: int32(len(digest.Normalize(o.Spec.Hosts)))}
	ttl, ok := ParseTTL(o.Spec.TTL)
	if !ok {
		f.TTL = fmt.Sprintf("spec.ttl %q is not a positive duration of days, hours, minutes and seconds", o.Spec.TTL)
	}
	if ceiling = min(ceiling, HardCeiling); ttl > ceiling {
		f.Ceiling = fmt.Sprintf("spec.ttl %s is longer than %s", o.Spec.TTL, ceiling)
	}
	if o.Status.EffectiveAt != nil {
		f.Effective = o.Status.EffectiveAt.Time
		f.Expires = f.Effective.Add(ttl)
		if !f.valid() && o.Status.ExpiresAt != nil {
			f.Expires = o.Status.ExpiresAt.Time
		}
	}
	f.Expired = wasExpired(o) || !f.Expires.IsZero() && !now.Before(f.Expires)
	return f
}

func gather(e *kit.Env) func(context.Context, *api.EgressApproval, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.EgressApproval, now time.Time) (Facts, error) {
		f := check(o, e.MaxTTL, now)
		if f.Expired || !f.valid() {
			return f, nil
		}
		key := types.NamespacedName{Namespace: o.Namespace, Name: o.Spec.Sandbox}
		sandbox := &api.KarsSandbox{}
		err := e.Children.Client.Get(ctx, key, sandbox)
		if client.IgnoreNotFound(err) != nil {
			return f, err
		}
		switch {
		case err != nil:
			f.Blocked = fmt.Sprintf("there is no sandbox %s", o.Spec.Sandbox)
		case !sandbox.DeletionTimestamp.IsZero():
			f.Blocked = fmt.Sprintf("sandbox %s is being deleted", o.Spec.Sandbox)
		case !meta.IsStatusConditionTrue(sandbox.Status.Conditions, "Ready"):
			f.Blocked = fmt.Sprintf("sandbox %s is not Ready", o.Spec.Sandbox)
		case f.Effective.IsZero():
			ttl, _ := ParseTTL(o.Spec.TTL)
			f.Effective = now.UTC().Truncate(time.Second)
			f.Expires = f.Effective.Add(ttl)
		}
		if f.Blocked != "" {
			return f, nil
		}
		if f.Merged, err = merged(ctx, e, o); err != nil {
			return f, err
		}
		report, known := e.Store.Get(key)
		if !known {
			return f, reconciler.ErrNotYet
		}
		f.Confirmed = report.Reports(digest.EgressApproval, f.Merged)
		if f.Lag = "the router has not loaded the merged list yet"; report.Err != nil {
			f.Lag = report.Err.Error()
		}
		e.Poller.Await(key, "EgressApproval/"+o.Name, !f.Confirmed)
		f.Waiting = kit.Waited(o.Status.Conditions, o.Status.WaitingSince, ReasonAwaitingRouterEcho, o.Status.MergedDigest != f.Merged, now)
		return f, nil
	}
}

// merged returns the digest that the router reports once it has loaded the list of the sandbox, this grant, and the other grants that are mounted.
func merged(ctx context.Context, e *kit.Env, o *api.EgressApproval) (string, error) {
	namespace := kit.SandboxNamespace(o.Spec.Sandbox)
	lists := [][]digest.Endpoint{digest.Normalize(o.Spec.Hosts)}
	var baseline, mounted corev1.ConfigMap
	for name, into := range map[string]*corev1.ConfigMap{kit.AllowlistName(o.Spec.Sandbox): &baseline, kit.ApprovalsName(o.Spec.Sandbox): &mounted} {
		if err := e.Children.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, into); client.IgnoreNotFound(err) != nil {
			return "", err
		}
	}
	if body := baseline.Data[digest.Names[digest.EgressAllowlist]]; body != "" {
		list, err := digest.ParseAllowlist([]byte(body))
		if err != nil {
			return "", fmt.Errorf("the list of sandbox %s: %w", o.Spec.Sandbox, err)
		}
		lists = append(lists, list)
	}
	for key, body := range mounted.Data {
		var grant digest.Grant
		if key == Key(o.Name) || json.Unmarshal([]byte(body), &grant) != nil {
			continue
		}
		lists = append(lists, grant.Hosts)
	}
	return digest.Of(digest.EgressApproval, digest.Allowlist(digest.Merge(lists...))), nil
}

// mount writes the grant where the router of the sandbox reads it, or removes it there. Each grant has its own field manager in the
// ConfigMap that the grants of a sandbox share.
func mount(ctx context.Context, e *kit.Env, o *api.EgressApproval, f Facts) error {
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: kit.SandboxNamespace(o.Spec.Sandbox), Name: kit.ApprovalsName(o.Spec.Sandbox),
		Labels: kit.SandboxLabels(types.NamespacedName{Namespace: o.Namespace, Name: o.Spec.Sandbox})}}
	if !f.open() {
		var mounted corev1.ConfigMap
		err := e.Children.Client.Get(ctx, client.ObjectKeyFromObject(child), &mounted)
		if _, there := mounted.Data[Key(o.Name)]; err != nil || !there || mounted.Labels[kit.LabelSandboxOwner] != o.Namespace {
			return client.IgnoreNotFound(err)
		}
		return e.Children.EnsureAs(ctx, child, manager(o))
	}
	body, err := json.Marshal(digest.Grant{SchemaVersion: 1, ApprovalName: o.Name, Sandbox: o.Spec.Sandbox, Hosts: digest.Normalize(o.Spec.Hosts),
		Reason: o.Spec.Reason, Ticket: o.Spec.Ticket, EffectiveAt: f.Effective.UTC(), ExpiresAt: f.Expires.UTC()})
	if err != nil {
		return err
	}
	child.Data = map[string]string{Key(o.Name): string(body)}
	return e.Children.EnsureAs(ctx, child, manager(o))
}

// manager returns the field manager of a grant; at most 128 characters are allowed.
func manager(o *api.EgressApproval) string {
	return "kars-egress-" + digest.Version([]byte(o.Namespace+"/"+o.Name))
}
