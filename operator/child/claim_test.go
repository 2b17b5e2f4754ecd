// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tristate/tristate/operator/child"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// plot is a namespace that an owner has as a child.
func plot() *corev1.Namespace { return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "plot"}} }

// role is a child without a namespace that is gone as soon as it is deleted.
func (y *yard) role() *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: y.owner.Namespace}}
}

// TestMadeBeforehand: a namespace that somebody has made before the operator is not its own, whatever the namespace says, and no child
// of the owner goes into it.
func TestMadeBeforehand(t *testing.T) {
	for name, uid := range map[string]string{"another uid": "00000000-0000-0000-0000-000000000000", "the uid of the owner": "known"} {
		y := newFakeYard(t)
		y.writer.Home, y.owner.UID = "system", "known"
		theirs := plot()
		theirs.UID = "theirs"
		theirs.Labels = map[string]string{child.LabelManaged: "gadget-operator"}
		theirs.Annotations = map[string]string{"example.dev/owner": "ConfigMap/garden/owner/" + uid, "example.dev/claim": "guessed"}
		if err := y.api.Create(t.Context(), theirs, client.FieldOwner("gadget-operator")); err != nil {
			t.Fatal(err)
		}
		var owned *child.OwnedError
		if err := y.writer.Ensure(t.Context(), y.owner, plot()); !errors.As(err, &owned) || !strings.Contains(err.Error(), "was not created by") {
			t.Errorf("%s: ensure: %v", name, err)
		}
		if err := y.writer.Owns(t.Context(), y.owner, theirs); !errors.As(err, &owned) {
			t.Errorf("%s: owns: %v", name, err)
		}
		inside := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "plot", Name: "list"}}
		if err := y.writer.Ensure(t.Context(), y.owner, inside); !errors.As(err, &owned) {
			t.Errorf("%s: ensure a child in it: %v", name, err)
		}
		if err := y.writer.Remove(t.Context(), y.owner, plot()); err != nil {
			t.Errorf("%s: remove: %v", name, err)
		}
		if err := y.api.Get(t.Context(), client.ObjectKey{Name: "plot"}, plot()); err != nil {
			t.Errorf("%s: it is gone: %v", name, err)
		}
	}
}

// TestClaim: the writer knows its child by the uid, also after a restart and without its marks; an object that others make in its place
// is not its own, and the name is free once the owner has removed its own.
func TestClaim(t *testing.T) {
	y := newYard(t)
	y.writer.Home = y.owner.Namespace
	step := func(what string, want string, owner client.Object) {
		t.Helper()
		err := y.writer.Ensure(t.Context(), owner, y.role())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	again := func() {
		y.restart(y.writer.Client)
		y.writer.Home = y.owner.Namespace
	}
	other := y.owner.DeepCopy()
	other.Namespace = "neighbour"
	step("first", "", y.owner)
	step("of another owner", "ClusterRole "+y.owner.Namespace+" belongs to ConfigMap "+y.owner.Namespace+"/owner", other)
	again()
	step("after a restart", "", y.owner)
	bare := y.role()
	if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(bare), bare); err != nil {
		t.Fatal(err)
	}
	bare.Labels, bare.Annotations, bare.ManagedFields = nil, nil, nil
	if err := y.api.Update(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	step("without its marks", "", y.owner)
	if err := y.api.Delete(t.Context(), y.role()); err != nil {
		t.Fatal(err)
	}
	step("deleted by hand", "", y.owner)
	copied := y.role()
	if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(copied), copied); err != nil {
		t.Fatal(err)
	}
	if err := y.api.Delete(t.Context(), y.role()); err != nil {
		t.Fatal(err)
	}
	copied.ResourceVersion, copied.UID, copied.ManagedFields = "", "", nil
	if err := y.api.Create(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	step("copied in its place", "was not created by", y.owner)
	if err := y.api.Delete(t.Context(), y.role()); err != nil {
		t.Fatal(err)
	}
	step("the copy is gone", "", y.owner)
	for range 2 { // the second finds that it is gone
		if err := y.writer.Remove(t.Context(), y.owner, y.role()); err != nil {
			t.Fatal(err)
		}
	}
	step("the name is free", "", other)
}

// TestClaimInterrupted: a writer that stops between creating a child and storing its uid finds the child again.
func TestClaimInterrupted(t *testing.T) {
	y := newYard(t)
	y.writer.Home = y.owner.Namespace
	counted, stored := y.writer.Client, 0
	y.writer.Client = interceptor.NewClient(y.api, interceptor.Funcs{Apply: func(ctx context.Context, c client.WithWatch,
		o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
		if stored++; stored == 3 { // claim, child, claim
			return apierrors.NewInternalError(errors.New("killed"))
		}
		return c.Apply(ctx, o, opts...)
	}})
	if err := y.writer.Ensure(t.Context(), y.owner, y.role()); err == nil {
		t.Fatal("it was not stopped")
	}
	y.restart(counted)
	y.writer.Home = y.owner.Namespace
	if err := y.writer.Ensure(t.Context(), y.owner, y.role()); err != nil {
		t.Error(err)
	}
}
