// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Allowed waits until the API server lets a user do something. A role that was bound counts only once the authorizer, which watches roles
// as any client does, has seen both.
func Allowed(t testing.TB, cfg *rest.Config, user string, what authorizationv1.ResourceAttributes) {
	t.Helper()
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &what}}
	if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed, err
	}); err != nil {
		t.Fatalf("%s may not %s %s.%s: %v", user, what.Verb, what.Resource, what.Group, err)
	}
}

// Address is [Free] for a test.
func Address(t testing.TB) string {
	t.Helper()
	address, err := Free()
	if err != nil {
		t.Fatal(err)
	}
	return address
}
