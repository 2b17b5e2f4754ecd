// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	appsapi "github.com/tristate/tristate/operators/vworkspace/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/claim"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Path is where claims are validated.
const Path = "/validate-claims"

// unverified is the warning for a claim whose keys cannot be read.
const unverified = "the approval claim could not be verified yet; the operator verifies it before it acts on it"

var errUnreadable = errors.New("the object cannot be read")

// Claims validates the approval claims of Operations and ApplicationInstances.
type Claims struct {
	Keys      func(context.Context) (claim.Keys, error)
	Subject   func(context.Context, client.Object) (claim.Subject, error) // what an approval of an object approves
	ClusterID string                                                      // objects with the label of another cluster are allowed
	Now       func() time.Time
}

// New returns the handler of [Path].
func New(c *Claims) *admission.Webhook { return &admission.Webhook{Handler: c} }

// written is an object with its claim.
type written struct {
	object  client.Object
	claim   string
	foreign bool // the object is another cluster's
}

// Handle implements [admission.Handler].
func (c *Claims) Handle(ctx context.Context, request admission.Request) admission.Response {
	now, err := c.read(request.Kind, request.Object.Raw)
	if err != nil {
		// The error of the decoder may repeat a part of the object.
		return admission.Errored(http.StatusBadRequest, errUnreadable)
	}
	before, _ := c.read(request.Kind, request.OldObject.Raw) // there is none, or it was stored
	if now.claim == "" || now.claim == before.claim || now.foreign {
		return admission.Allowed("")
	}
	now.object.SetNamespace(request.Namespace)
	keys, err := c.Keys(ctx)
	if err != nil {
		return admission.Allowed("").WithWarnings(unverified)
	}
	subject, err := c.Subject(ctx, now.object)
	if err != nil {
		return admission.Allowed("").WithWarnings(unverified)
	}
	if _, err := claim.Verify(keys, now.claim, subject, c.Now()); err != nil {
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

// read finds the claim of an object.
func (c *Claims) read(kind metav1.GroupVersionKind, raw []byte) (w written, err error) {
	if len(raw) == 0 {
		return w, nil
	}
	if kind.Group == appsapi.GroupVersion.Group {
		o := &appsapi.ApplicationInstance{}
		err = json.Unmarshal(raw, o)
		w.object, w.claim = o, o.Annotations[appsapi.AnnotationApprovalClaim]
	} else {
		o := &opsapi.Operation{}
		err = json.Unmarshal(raw, o)
		w.object, w.claim = o, o.Spec.Approvals.Claim
	}
	id, ok := w.object.GetLabels()[kit.LabelClusterID]
	w.foreign = ok && id != c.ClusterID
	return w, err
}
