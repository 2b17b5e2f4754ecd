// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
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
	Admit     Admit                                                       // of operations that are created; nil: all are admitted
	ClusterID string                                                      // objects with the label of another cluster are allowed
	Now       func() time.Time
}

// Admit judges an operation that is created: the problems of the request, for which it is denied, and the operation that it will wait for.
type Admit func(context.Context, *opsapi.Operation) (problems []string, conflict string, err error)

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
	if now.foreign {
		return admission.Allowed("")
	}
	now.object.SetNamespace(request.Namespace)
	response := c.verify(ctx, now, before)
	if response.Allowed && len(request.OldObject.Raw) == 0 {
		return c.admit(ctx, now.object, response)
	}
	return response
}

// admit judges an operation that is created. One that conflicts with another is admitted: the answer warns that it will be blocked, and the
// operator writes the condition in its first pass, since the API server drops the status of an object that is created.
func (c *Claims) admit(ctx context.Context, object client.Object, response admission.Response) admission.Response {
	o, ok := object.(*opsapi.Operation)
	if !ok || c.Admit == nil {
		return response
	}
	problems, conflict, err := c.Admit(ctx, o)
	switch {
	case len(problems) > 0:
		return admission.Denied(strings.Join(problems, "; "))
	case err == nil && conflict != "": // the operator finds out what could not be read now
		return response.WithWarnings("Blocked=True ConflictingOperation: " + conflict + "; this operation starts when the other one has ended")
	}
	return response
}

// verify verifies a claim that is another one than the stored one.
func (c *Claims) verify(ctx context.Context, now, before written) admission.Response {
	if now.claim == "" || now.claim == before.claim {
		return admission.Allowed("")
	}
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
