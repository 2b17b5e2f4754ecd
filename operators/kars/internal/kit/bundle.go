// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"

	"github.com/tristate/tristate/operator/enqueue"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"github.com/tristate/tristate/operators/kars/internal/artifact"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

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
