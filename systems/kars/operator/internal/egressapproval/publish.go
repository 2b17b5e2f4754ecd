// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Key returns the key of a grant in the ConfigMap of its sandbox.
func Key(approval string) string { return "approval-" + approval + ".json" }

// file returns the key and content under which a grant is published while it is open.
func file(o *api.EgressApproval, f Facts) (string, error) {
	body, err := json.Marshal(digest.Grant{SchemaVersion: 1, ApprovalName: o.Name, Sandbox: o.Spec.Sandbox,
		Hosts:  digest.Normalize(o.Spec.Hosts),
		Reason: o.Spec.Reason, Ticket: o.Spec.Ticket, EffectiveAt: f.Effective.UTC(), ExpiresAt: f.Expires.UTC()})
	return string(body), err
}

// publish makes the ConfigMap of a sandbox have the files of the grants that are open, and no others. It is the only writer of the
// ConfigMap: a file is there exactly while its grant says so, whatever happened before. self, which may be nil, is the grant that is being
// reconciled, with its facts.
func publish(ctx context.Context, e *kit.Env, sandbox types.NamespacedName, self *api.EgressApproval, f Facts, now time.Time) error {
	files := func(grants []api.EgressApproval, have map[string]string) (map[string]string, error) {
		var kept, added []entry
		for i := range grants {
			o := &grants[i]
			facts, err := look(ctx, e, o, now)
			if err != nil {
				return nil, err
			}
			if self != nil && o.Name == self.Name {
				facts = f
			}
			if o.Spec.Sandbox != sandbox.Name || !o.DeletionTimestamp.IsZero() || !facts.published() {
				continue
			}
			body, err := file(o, facts)
			if err != nil {
				return nil, err
			}
			one := entry{Key(o.Name), body, facts.Effective}
			if have[one.key] == body {
				kept = append(kept, one)
			} else {
				added = append(added, one)
			}
		}
		return fit(kept, added), nil
	}
	var grants api.EgressApprovalList
	if err := e.Children.Client.List(ctx, &grants, client.InNamespace(sandbox.Namespace)); err != nil {
		return err
	}
	have, err := published(ctx, e, sandbox)
	if err != nil {
		return err
	}
	mounted := map[string]string{}
	if have != nil {
		mounted = have.Data
	}
	want, err := files(grants.Items, mounted)
	if err != nil || have == nil && (len(want) == 0 || !f.published()) {
		return err // there is no file to remove, whatever the other grants do
	}
	if have == nil || !maps.Equal(have.Data, want) {
		// The cache may be behind: what is written is made of what is stored.
		e.Publishing.Lock()
		defer e.Publishing.Unlock()
		if err := e.Children.Live.List(ctx, &grants, client.InNamespace(sandbox.Namespace)); err != nil {
			return err
		}
		if want, err = files(grants.Items, mounted); err != nil {
			return err
		}
	}
	owner := &api.KarsSandbox{}
	if err := e.Children.Client.Get(ctx, sandbox, owner); err != nil {
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		owner.Namespace, owner.Name = sandbox.Namespace, sandbox.Name // it is gone, and what is left of it is still its own
	}
	err = e.Children.EnsureWith(ctx, owner, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: kit.SandboxNamespace(sandbox.Name),
		Name: kit.ApprovalsName(sandbox.Name), Labels: kit.SandboxLabels(sandbox)}, Data: want}, child.Policy{Adopt: true})
	if self != nil && err == nil && f.published() && want[Key(self.Name)] == "" {
		return fmt.Errorf("the grants of sandbox %s that are open have %d bytes, and there is no room for this one", sandbox.Name, size(want))
	}
	return err
}

// entry is a file of a grant.
type entry struct {
	key, body string
	since     time.Time
}

// room is how many bytes the files of a sandbox have together. A ConfigMap has at most 1 MiB, with the names and who manages them.
const room = 768 << 10

// fit returns the files that have room together: those that are there, and then new ones by their time. A new one that does not fit waits,
// so that none keeps another from being removed.
func fit(kept, added []entry) map[string]string {
	out, used := map[string]string{}, 0
	slices.SortFunc(added, func(a, b entry) int { return cmp.Or(a.since.Compare(b.since), strings.Compare(a.key, b.key)) })
	for i, one := range slices.Concat(kept, added) {
		if need := 2*len(one.key) + len(one.body); i < len(kept) || used+need <= room {
			out[one.key] = one.body
			used += need
		}
	}
	return out
}

// size returns how many bytes files have.
func size(files map[string]string) (n int) {
	for key, body := range files {
		n += len(key) + len(body)
	}
	return n
}

// published returns the ConfigMap with the grants of a sandbox; nil: there is none, or it is not that of this sandbox. The first
// versions of the operator wrote it under a manager name for each grant and without a mark. In a namespace of the operator such a
// ConfigMap is its own.
func published(ctx context.Context, e *kit.Env, sandbox types.NamespacedName) (*corev1.ConfigMap, error) {
	mounted := &corev1.ConfigMap{}
	exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: kit.SandboxNamespace(sandbox.Name),
		Name: kit.ApprovalsName(sandbox.Name)}, mounted)
	owner := &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: sandbox.Namespace, Name: sandbox.Name}}
	if err != nil || !exists {
		return nil, err
	}
	var foreign *child.OwnedError
	unmarked := mounted.Labels[kit.LabelSandboxOwner] == sandbox.Namespace
	if err := e.Children.Owns(ctx, owner, mounted); err != nil && !(unmarked && errors.As(err, &foreign) && foreign.Owner == "") {
		return nil, nil
	}
	return mounted, nil
}

// Sweep removes the files that no grant answers for from the ConfigMap of a sandbox: of grants that were deleted, that name another sandbox
// now, or that never were.
func Sweep(ctx context.Context, e *kit.Env, sandbox types.NamespacedName, now time.Time) error {
	have, err := published(ctx, e, sandbox)
	if err != nil || have == nil {
		return err
	}
	for key := range have.Data {
		name, isGrant := strings.CutPrefix(key, "approval-")
		name, isFile := strings.CutSuffix(name, ".json")
		o := &api.EgressApproval{}
		if isGrant && isFile && e.Children.Client.Get(ctx, client.ObjectKey{Namespace: sandbox.Namespace, Name: name}, o) == nil &&
			o.Spec.Sandbox == sandbox.Name {
			continue
		}
		return publish(ctx, e, sandbox, nil, Facts{}, now)
	}
	return nil
}
