// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"context"
	"fmt"
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

// The annotations go with a copy of a grant that is restored without its status. The author may write them, so they can only bring the end
// of a grant forward.
const (
	annotationEffective = "kars.azure.com/effective-at"
	annotationExpired   = "kars.azure.com/expired-at"
)

// record is the life of a grant, which a lost status does not change. It is stored in a ConfigMap of the operator's namespace: before the
// file of the grant is published, and after the file of an expired grant is removed.
type record struct{ effective, expired time.Time }

// Keys of the ConfigMap of a record.
const (
	keyUID       = "uid" // of the grant: another one of the same name has its own time
	keyEffective = "effectiveAt"
	keyExpired   = "expiredAt"
)

// recordOf returns the ConfigMap of a grant's record, without content.
func recordOf(e *kit.Env, grant types.NamespacedName) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace,
		Name: "egressapproval-" + digest.Version([]byte(grant.String()))}}
}

// recall reads the record of a grant.
func recall(ctx context.Context, e *kit.Env, o *api.EgressApproval) (r record, err error) {
	stored := recordOf(e, client.ObjectKeyFromObject(o))
	exists, err := e.Children.Exists(ctx, client.ObjectKeyFromObject(stored), stored)
	if err != nil || !exists || stored.Data[keyUID] != string(o.UID) {
		return r, err
	}
	for key, at := range map[string]*time.Time{keyEffective: &r.effective, keyExpired: &r.expired} {
		if text := stored.Data[key]; text != "" {
			if *at, err = time.Parse(time.RFC3339, text); err != nil {
				return r, fmt.Errorf("ConfigMap %s/%s: %s: %w", stored.Namespace, stored.Name, key, err)
			}
		}
	}
	return r, nil
}

// remember stores the record of a grant.
func remember(ctx context.Context, e *kit.Env, o *api.EgressApproval, r record) error {
	stored := recordOf(e, client.ObjectKeyFromObject(o))
	stored.Data = map[string]string{keyUID: string(o.UID)}
	for key, at := range map[string]time.Time{keyEffective: r.effective, keyExpired: r.expired} {
		if !at.IsZero() {
			stored.Data[key] = at.UTC().Format(time.RFC3339)
		}
	}
	return e.Children.Ensure(ctx, o, stored)
}

// began returns when a grant became effective: by its record, or else its status. An annotation counts if it is earlier than these, and not
// in the future. Zero: it never did.
func (r record) began(o *api.EgressApproval, now time.Time) time.Time {
	at := r.effective
	if at.IsZero() && o.Status.EffectiveAt != nil {
		at = o.Status.EffectiveAt.Time
	}
	noted, err := time.Parse(time.RFC3339, o.Annotations[annotationEffective])
	if err == nil && !noted.After(now) && (at.IsZero() || noted.Before(at)) {
		return noted
	}
	return at
}

// over reports whether a grant has expired before: then it stays so, whatever is edited or lost.
func (r record) over(o *api.EgressApproval) bool {
	_, noted := o.Annotations[annotationExpired]
	return !r.expired.IsZero() || noted || finished(o)
}

// note writes a time of a grant to an annotation once.
func note(ctx context.Context, e *kit.Env, o *api.EgressApproval, annotation string, at time.Time) error {
	if _, noted := o.Annotations[annotation]; noted {
		return nil
	}
	target := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name}}
	target.SetGroupVersionKind(api.GroupVersion.WithKind("EgressApproval"))
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q,"annotations":{%q:%q}}}`, o.UID, annotation, at.UTC().Format(time.RFC3339))
	if err := e.Children.Client.Patch(ctx, target, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(kit.Manager)); err != nil {
		return fmt.Errorf("record %s: %s", annotation, child.Reason(err))
	}
	return nil
}
