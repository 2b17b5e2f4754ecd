// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/plane"
	"github.com/tristate/tristate/operator/child"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestMain(m *testing.M) { plane.Main(m) }

// yard is a namespace with an owner, a writer whose requests are counted, and another writer.
type yard struct {
	*testing.T
	api    client.Client // of the others
	owner  *corev1.ConfigMap
	writer *child.Writer
	writes int
	now    time.Time
}

func newYard(t *testing.T) *yard {
	t.Helper()
	config := plane.ForTest(t)
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{T: t, api: api, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	counted := interceptor.NewClient(api, interceptor.Funcs{Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
		y.writes++
		return c.Apply(ctx, o, opts...)
	}})
	y.owner = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: plane.Namespace(t, config), Name: "owner"}}
	if err := api.Create(t.Context(), y.owner); err != nil {
		t.Fatal(err)
	}
	y.restart(counted)
	return y
}

// restart begins anew with a writer that remembers nothing.
func (y *yard) restart(c client.Client) {
	y.writer = &child.Writer{Client: c, Live: y.api, Manager: "gadget-operator", Domain: "example.dev", Now: func() time.Time { return y.now }}
}

func (y *yard) deployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: y.owner.Namespace, Name: "web", OwnerReferences: []metav1.OwnerReference{y.writer.OwnerOf(y.owner)}},
		Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.dev/web:1"}}}}},
	}
}

// ensure ensures the deployment and checks how many requests that took.
func (y *yard) ensure(step string, writes int) {
	y.Helper()
	y.writes = 0
	if err := y.writer.Ensure(y.Context(), y.owner, y.deployment()); err != nil {
		y.Fatalf("%s: %v", step, err)
	}
	if y.writes != writes {
		y.Errorf("%s: %d writes, want %d", step, y.writes, writes)
	}
}

// patch changes the deployment as a person does.
func (y *yard) patch(patch string, subresource ...string) {
	y.Helper()
	var err error
	raw := client.RawPatch(types.StrategicMergePatchType, []byte(patch))
	if len(subresource) > 0 {
		err = y.api.SubResource(subresource[0]).Patch(y.Context(), y.deployment(), raw)
	} else {
		err = y.api.Patch(y.Context(), y.deployment(), raw, client.FieldOwner("hand"))
	}
	if err != nil {
		y.Fatal(err)
	}
}

func (y *yard) stored() *appsv1.Deployment {
	y.Helper()
	d := y.deployment()
	if err := y.api.Get(y.Context(), client.ObjectKeyFromObject(d), d); err != nil {
		y.Fatal(err)
	}
	return d
}

// applied returns the managed fields of the operator, with the time of its last change; nil: there are none.
func (y *yard) applied(d *appsv1.Deployment) *metav1.ManagedFieldsEntry {
	for i := range d.ManagedFields {
		if d.ManagedFields[i].Manager == "gadget-operator" {
			return &d.ManagedFields[i]
		}
	}
	return nil
}

// TestDrift: an edit of an applied field is repaired by one request, found without one; what the operator did not apply is not its own, and defaults, normal forms
// and the status cause no request.
func TestDrift(t *testing.T) {
	y := newYard(t)
	y.ensure("first", 1)
	y.ensure("nothing changed", 0)
	claimed := string(y.applied(y.stored()).FieldsV1.GetRawBytes())
	for _, field := range []string{`"f:strategy"`, `"f:resources"`, `"f:status"`, `"f:creationTimestamp"`} { // trap 1: zero values
		if strings.Contains(claimed, field) {
			t.Errorf("%s is claimed, which the deployment does not set", field)
		}
	}
	y.patch(`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"example.dev/web:2"}]}}}}`)
	y.ensure("an edit", 1)
	if got := y.stored().Spec.Template.Spec.Containers[0].Image; got != "example.dev/web:1" {
		t.Errorf("image %s after the repair", got)
	}
	y.ensure("repaired", 0)
	y.patch(`{"spec":{"minReadySeconds":5,"template":{"spec":{"terminationGracePeriodSeconds":7}}}}`) // what the operator leaves to others
	y.ensure("a field of others", 0)
	if got := y.stored().Spec; got.MinReadySeconds != 5 || *got.Template.Spec.TerminationGracePeriodSeconds != 7 {
		t.Errorf("fields of others: %d, %d", got.MinReadySeconds, *got.Template.Spec.TerminationGracePeriodSeconds)
	}
	y.patch(`{"status":{"observedGeneration":1}}`, "status")
	y.ensure("the status", 0)
	before := y.applied(y.stored())
	y.restart(y.writer.Client)
	y.ensure("a restart", 1)
	if diff := cmp.Diff(before, y.applied(y.stored()), cmp.Comparer(func(a, b metav1.FieldsV1) bool { return a.String() == b.String() })); diff != "" {
		t.Errorf("the apply after a restart is stored although it changes nothing:\n%s", diff)
	}
}

// TestForeign: trap 2, an object that the operator did not create is neither taken over nor deleted.
func TestForeign(t *testing.T) {
	y := newYard(t)
	theirs := y.deployment()
	theirs.OwnerReferences = nil
	theirs.Spec.Template.Spec.Containers[0].Image = "example.dev/theirs:1"
	if err := y.api.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	var owned *child.OwnedError
	if err := y.writer.Ensure(t.Context(), y.owner, y.deployment()); !errors.As(err, &owned) {
		t.Errorf("ensure: %v", err)
	}
	if err := y.writer.Remove(t.Context(), y.owner, y.deployment()); err != nil {
		t.Errorf("remove: %v", err)
	}
	if got := y.stored(); got.Spec.Template.Spec.Containers[0].Image != "example.dev/theirs:1" || y.applied(got) != nil {
		t.Errorf("it was changed: %v", got.ManagedFields)
	}
}

// TestRevived: trap 3, an apply for a child that was deleted and created again by others meanwhile creates and changes nothing.
func TestRevived(t *testing.T) {
	y := newYard(t)
	y.ensure("first", 1)
	if err := y.api.Delete(t.Context(), y.deployment()); err != nil {
		t.Fatal(err)
	}
	theirs := y.deployment()
	theirs.OwnerReferences, theirs.Spec.Template.Spec.Containers[0].Image = nil, "example.dev/theirs:1"
	if err := y.api.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	var owned *child.OwnedError
	if err := y.writer.Ensure(t.Context(), y.owner, y.deployment()); !errors.As(err, &owned) {
		t.Errorf("ensure: %v", err)
	}
	if got := y.stored().Spec.Template.Spec.Containers[0].Image; got != "example.dev/theirs:1" {
		t.Errorf("image %s", got)
	}
}

// TestImmutable: traps 9 and 12, a refused change is an error of the API server's words, the same at each attempt.
func TestImmutable(t *testing.T) {
	y := newYard(t)
	y.ensure("first", 1)
	changed := func() string {
		d := y.deployment()
		d.Spec.Selector.MatchLabels["app"] = "other"
		var refused *child.WriteError
		err := y.writer.Ensure(t.Context(), y.owner, d)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "field is immutable") {
			t.Fatalf("%v", err)
		}
		return err.Error()
	}
	if diff := cmp.Diff(changed(), changed()); diff != "" {
		t.Errorf("the text changes:\n%s", diff)
	}
}

// TestFight: after five repairs in a minute the writer stops for a minute and names the other writer; then it tries again.
func TestFight(t *testing.T) {
	y := newYard(t)
	y.ensure("first", 1)
	edit := func() {
		y.patch(`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"example.dev/web:` + y.now.Format("150405") + `"}]}}}}`)
	}
	for range 5 {
		y.now = y.now.Add(time.Second)
		edit()
		y.ensure("a repair", 1)
	}
	y.now = y.now.Add(time.Second)
	edit()
	var fight *child.FightError
	y.writes = 0
	if err := y.writer.Ensure(t.Context(), y.owner, y.deployment()); !errors.As(err, &fight) || !strings.Contains(fight.By, "hand") {
		t.Fatalf("%v", err)
	}
	if y.writes != 0 {
		t.Errorf("%d writes while it stops", y.writes)
	}
	y.now = y.now.Add(time.Minute)
	y.ensure("after a minute", 1)
}
