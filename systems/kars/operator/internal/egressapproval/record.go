// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"context"
	"fmt"
	"time"

	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The annotations record the life of a grant besides its status, which a restored backup does not have: when it became effective, before
// its file is published, and that it has expired, after the file is removed.
const (
	annotationEffective = "kars.azure.com/effective-at"
	annotationExpired   = "kars.azure.com/expired-at"
)

// effective returns when a grant became effective, by whatever is recorded of it; zero: it never did. The earlier record wins. One that
// cannot be read counts as the creation of the object.
func effective(o *api.EgressApproval) (at time.Time) {
	if o.Status.EffectiveAt != nil {
		at = o.Status.EffectiveAt.Time
	}
	text, recorded := o.Annotations[annotationEffective]
	if !recorded {
		return at
	}
	noted, err := time.Parse(time.RFC3339, text)
	if err != nil {
		noted = o.CreationTimestamp.Time
	}
	if at.IsZero() || noted.Before(at) {
		return noted
	}
	return at
}

// wasExpired reports whether a grant has expired before: then it stays so, whatever is edited or lost.
func wasExpired(o *api.EgressApproval) bool {
	_, recorded := o.Annotations[annotationExpired]
	ready := meta.FindStatusCondition(o.Status.Conditions, TypeReady)
	return recorded || ready != nil && ready.Reason == ReasonExpired
}

// note records a time of a grant once.
func note(ctx context.Context, e *kit.Env, o *api.EgressApproval, annotation string, at time.Time) error {
	if _, recorded := o.Annotations[annotation]; recorded {
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
