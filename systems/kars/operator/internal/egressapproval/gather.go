// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tristate/tristate/operator"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// look returns the facts of the record, the spec and the clock.
func look(ctx context.Context, e *kit.Env, o *api.EgressApproval, now time.Time) (Facts, error) {
	known, err := recall(ctx, e, o)
	return check(o, known, e.MaxTTL, now), err
}

// check returns the facts of the record, the spec and the clock.
func check(o *api.EgressApproval, known record, ceiling time.Duration, now time.Time) Facts {
	f := Facts{Record: known, Reason: reasonProblem(o.Spec.Reason), Hosts: int32(len(digest.Normalize(o.Spec.Hosts)))}
	ttl, ok := ParseTTL(o.Spec.TTL)
	if !ok {
		f.TTL = fmt.Sprintf("spec.ttl %q is not a positive duration of days, hours, minutes and seconds", o.Spec.TTL)
	}
	if ceiling = min(ceiling, HardCeiling); ttl > ceiling {
		f.Ceiling = fmt.Sprintf("spec.ttl %s is longer than %s", o.Spec.TTL, ceiling)
	}
	if f.Effective = known.began(o, now); !f.Effective.IsZero() {
		f.Expires = f.Effective.Add(ttl)
		if !f.valid() && o.Status.ExpiresAt != nil {
			f.Expires = o.Status.ExpiresAt.Time
		}
	}
	f.Expired = known.over(o) || !f.Expires.IsZero() && !now.Before(f.Expires)
	return f
}

func gather(e *kit.Env) func(context.Context, *api.EgressApproval, time.Time) (Facts, error) {
	return func(ctx context.Context, o *api.EgressApproval, now time.Time) (Facts, error) {
		f, err := look(ctx, e, o, now)
		if err != nil || f.Expired || !f.valid() {
			return f, err
		}
		key := sandboxOf(o)
		sandbox := &api.KarsSandbox{}
		err = e.Children.Client.Get(ctx, key, sandbox)
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
			f.Fresh, f.Effective = true, now.UTC().Truncate(time.Second)
			f.Expires = f.Effective.Add(ttl)
		}
		if f.Blocked != "" {
			return f, nil
		}
		var mounted bool
		if f.Merged, mounted, err = merged(ctx, e, o, f); err != nil {
			return f, err
		}
		report, known := e.Store.Get(key)
		if !known {
			return f, operator.ErrNotYet
		}
		f.Confirmed = mounted && report.Reports(digest.EgressApproval, f.Merged)
		if f.Lag = "the router has not loaded the merged list yet"; report.Err != nil {
			f.Lag = report.Err.Error()
		}
		e.Poller.Await(key, "EgressApproval/"+o.Name, !f.Confirmed)
		return f, nil
	}
}

// sandboxOf returns the name of the sandbox that gets the destinations.
func sandboxOf(o *api.EgressApproval) types.NamespacedName {
	return types.NamespacedName{Namespace: o.Namespace, Name: o.Spec.Sandbox}
}

// merged returns the digest that the router reports once it has loaded the list of the sandbox, this grant, and the other grants that are
// mounted, and whether this grant is mounted as well.
func merged(ctx context.Context, e *kit.Env, o *api.EgressApproval, f Facts) (sum string, mounted bool, err error) {
	lists := [][]digest.Endpoint{digest.Normalize(o.Spec.Hosts)}
	var baseline corev1.ConfigMap
	name := client.ObjectKey{Namespace: kit.SandboxNamespace(o.Spec.Sandbox), Name: kit.AllowlistName(o.Spec.Sandbox)}
	if err := e.Children.Client.Get(ctx, name, &baseline); client.IgnoreNotFound(err) != nil {
		return "", false, err
	}
	if body := baseline.Data[digest.Names[digest.EgressAllowlist]]; body != "" {
		list, err := digest.ParseAllowlist([]byte(body))
		if err != nil {
			return "", false, fmt.Errorf("the list of sandbox %s: %w", o.Spec.Sandbox, err)
		}
		lists = append(lists, list)
	}
	grants, err := published(ctx, e, sandboxOf(o))
	if err != nil || grants == nil {
		return digest.Of(digest.EgressApproval, digest.Allowlist(digest.Merge(lists...))), false, err
	}
	for key, body := range grants.Data {
		if key == Key(o.Name) {
			want, err := file(o, f)
			mounted = err == nil && body == want
			continue
		}
		var grant digest.Grant
		if json.Unmarshal([]byte(body), &grant) == nil {
			lists = append(lists, grant.Hosts)
		}
	}
	return digest.Of(digest.EgressApproval, digest.Allowlist(digest.Merge(lists...))), mounted, nil
}
