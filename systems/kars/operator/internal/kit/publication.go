// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/artifact"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Publication has the facts about an object that publishes an artifact for the routers.
type Publication struct {
	Problems   []string // of the spec
	Absent     []string // siblings that the spec names and that do not exist, as "McpServer wiki"
	WriteError error    // of the artifact
	Loads      bool     // the artifact has content that a router loads
	Digest     string   // that routers report
	Enforced   Enforcement
}

// Written reports whether the artifact is published. While the spec is wrong or names a sibling that does not exist, the last one stays.
func (f Publication) Written() bool {
	return len(f.Problems) == 0 && len(f.Absent) == 0 && f.WriteError == nil
}

// Progress is the token of the wait for the routers; empty while none waits that could confirm, so that no time runs.
func (f Publication) Progress() string {
	if !f.Enforced.Waits() {
		return ""
	}
	return f.Digest
}

// Published is the part of the pass over such an object that says how far the routers are.
type Published interface {
	Reconciled(format string, args ...any)
	NoSandboxesReferencing()
	AwaitingRouterEnforcement(format string, args ...any)
	RouterEnforcing(format string, args ...any)
}

// Judge reports how far the routers are with an artifact that is published. nothing is the message where it has no content for them.
func (f Publication) Judge(p Published, nothing string) {
	switch {
	case !f.Loads:
		p.Reconciled("%s", nothing)
	case f.Enforced.Referrers == 0:
		p.NoSandboxesReferencing()
	case f.Enforced.Done():
		p.RouterEnforcing("%s", f.Enforced)
	default:
		p.AwaitingRouterEnforcement("%s", f.Enforced)
	}
}

// Warn records an event where routers that have not loaded an artifact are waited for since this pass, or where the artifact is new. o is
// the object, and before the digest that was stored, both as they were before the pass.
func (f Publication) Warn(o conditions.ObjectWithWaits, before string, warn func(reason, note string)) {
	if !f.Written() || !f.Loads || f.Enforced.Referrers == 0 || f.Enforced.Done() {
		return
	}
	waited := slices.ContainsFunc(o.GetConditions(), func(c metav1.Condition) bool { return c.Reason == awaiting }) || len(o.GetWaits()) > 0
	if !waited || before != f.Digest {
		warn("PolicyNotEnforced", f.Enforced.String())
	}
}

// awaiting is the reason of Ready, Progressing, or both, while routers are waited for.
const awaiting = "AwaitingRouterEnforcement"

// Sibling is an object that a spec names.
type Sibling struct {
	Name   string // empty: none is named
	Object client.Object
	Kind   string
}

// Absent returns the siblings that do not exist in a namespace, as "McpServer wiki".
func (e *Env) Absent(ctx context.Context, namespace string, siblings ...Sibling) (absent []string, err error) {
	for _, s := range siblings {
		if s.Name == "" {
			continue
		}
		exists, err := e.Children.Exists(ctx, client.ObjectKey{Namespace: namespace, Name: s.Name}, s.Object)
		if err != nil {
			return nil, err
		}
		if !exists {
			absent = append(absent, s.Kind+" "+s.Name)
		}
	}
	return absent, nil
}

// Bundle fetches an artifact that the signer policy accepts.
func (e *Env) Bundle(ctx context.Context, ref api.ArtifactRef, mediaType string) ([]byte, *artifact.Failure) {
	policy, failure := e.SignerPolicy(ctx)
	if failure != nil {
		return nil, failure
	}
	return e.Fetcher.Fetch(ctx, ref, mediaType, policy)
}

// SignerPolicy reads the signer policy of the operator's namespace.
func (e *Env) SignerPolicy(ctx context.Context) (*artifact.Policy, *artifact.Failure) {
	var object corev1.ConfigMap
	err := e.Children.Client.Get(ctx, client.ObjectKey{Namespace: e.Namespace, Name: artifact.PolicyName}, &object)
	switch {
	case apierrors.IsNotFound(err):
		return nil, &artifact.Failure{Class: artifact.SignerPolicyMissing, Detail: "there is no ConfigMap " + artifact.PolicyName}
	case err != nil:
		return nil, &artifact.Failure{Class: artifact.Unreachable, Detail: "the signer policy cannot be read"}
	}
	return artifact.ParsePolicy(object.Data)
}

// IfSignerPolicy enqueues every object of a kind where the signer policy changes.
func (e *Env) IfSignerPolicy(ctx context.Context, o client.Object, list client.ObjectList) []reconcile.Request {
	if o.GetNamespace() != e.Namespace || o.GetName() != artifact.PolicyName {
		return nil
	}
	return enqueue.Requests(enqueue.All(ctx, e.Manager.GetClient(), list))
}
