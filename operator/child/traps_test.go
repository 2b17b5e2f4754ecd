// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/proof/plane"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestMain(m *testing.M) { plane.Main(m) }

// yard is a namespace with an owner, a writer whose requests are counted, and another writer.
type yard struct {
	*testing.T
	api    client.WithWatch // of the others
	owner  *corev1.ConfigMap
	writer *child.Writer
	policy child.Policy
	shape  func(*appsv1.Deployment) // what the desired deployment has in addition; nil: nothing
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
	return yardIn(t, api, plane.Namespace(t, config))
}

// newFakeYard is newYard with a client that keeps managed fields as an API server does, without defaults, admission and controllers.
func newFakeYard(t *testing.T) *yard {
	t.Helper()
	return yardIn(t, fake.NewClientBuilder().WithReturnManagedFields().Build(), "garden")
}

// yardIn is a yard in a namespace.
func yardIn(t *testing.T, api client.WithWatch, namespace string) *yard {
	t.Helper()
	y := &yard{T: t, api: api, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	counted := interceptor.NewClient(api, interceptor.Funcs{Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration,
		opts ...client.ApplyOption) error {
		err := c.Apply(ctx, o, opts...)
		if !apierrors.IsConflict(err) { // with the controllers of the control plane, which write the status
			y.writes++
		}
		return err
	}})
	y.owner = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "owner"}}
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
	labels := func() map[string]string { return map[string]string{"app": "web"} }
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: y.owner.Namespace, Name: "web",
			OwnerReferences: []metav1.OwnerReference{y.writer.OwnerOf(y.owner)}},
		Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels()},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels()},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.dev/web:1"}}}}},
	}
	if y.shape != nil {
		y.shape(d)
	}
	return d
}

// ensure ensures the deployment and checks how many requests that took.
func (y *yard) ensure(step string, writes int) {
	y.Helper()
	y.writes = 0
	if err := y.writer.EnsureWith(y.Context(), y.owner, y.deployment(), y.policy); err != nil {
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

// TestDrift: an edit of an applied field is repaired by one request, found without one; what the operator did not apply is not its own, and
// defaults, normal forms and the status cause no request.
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
	if diff := cmp.Diff(before, y.applied(y.stored()),
		cmp.Comparer(func(a, b metav1.FieldsV1) bool { return a.String() == b.String() })); diff != "" {
		t.Errorf("the apply after a restart is stored although it changes nothing:\n%s", diff)
	}
}

// TestOwnName: an edit under the manager name of the operator is repaired like any other, whether the fields that this name owns change or
// their values only, and also if the cache has no more than the metadata.
func TestOwnName(t *testing.T) {
	y := newFakeYard(t)
	shelf := func() *corev1.ConfigMap { return y.shelf("shelf") }
	ensure := func(step string, desired client.Object, writes int) {
		t.Helper()
		if y.writes = 0; y.writer.Ensure(t.Context(), y.owner, desired) != nil || y.writes != writes {
			t.Fatalf("%s: %d writes, want %d", step, y.writes, writes)
		}
	}
	ensure("first", shelf(), 1)
	for name, write := range map[string]func(*unstructured.Unstructured) error{
		"an apply": func(u *unstructured.Unstructured) error {
			u.SetManagedFields(nil)
			u.SetResourceVersion("")
			return y.api.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("gadget-operator"), client.ForceOwnership)
		},
		"an update": func(u *unstructured.Unstructured) error {
			return y.api.Update(t.Context(), u, client.FieldOwner("gadget-operator"))
		},
	} {
		for _, metadata := range []bool{false, true} {
			desired := client.Object(shelf())
			if y.writer.Metadata = metadata; metadata {
				content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired)
				if err != nil {
					t.Fatal(err)
				}
				u := &unstructured.Unstructured{Object: content}
				u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
				unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
				desired = u
			}
			ensure("another form", desired, 0)
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
			if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(desired), u); err != nil {
				t.Fatal(err)
			}
			u.Object["data"] = map[string]any{"a": "evil"}
			if err := write(u); err != nil {
				t.Fatal(err)
			}
			ensure(name, desired, 1)
			ensure("repaired", desired, 0)
			got := shelf()
			if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(got), got); err != nil || got.Data["a"] != "b" {
				t.Errorf("%s under the own name, metadata %v: %v, %v", name, metadata, got.Data, err)
			}
		}
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

// TestFormer: trap 4, a field that an earlier release wrote by an update, under another manager, goes when it is not desired any more.
func TestFormer(t *testing.T) {
	y := newYard(t)
	old := y.deployment()
	old.Labels = map[string]string{child.LabelManaged: "gadget-operator"}
	old.Spec.MinReadySeconds = 9
	if err := y.api.Create(t.Context(), old, client.FieldOwner("gadget")); err != nil {
		t.Fatal(err)
	}
	y.writer.Former = []string{"gadget"}
	y.ensure("first", 1)
	got := y.stored()
	if got.Spec.MinReadySeconds != 0 {
		t.Errorf("minReadySeconds %d", got.Spec.MinReadySeconds)
	}
	for _, e := range got.ManagedFields {
		if e.Manager == "gadget" {
			t.Errorf("the former manager still owns %s", e.FieldsV1)
		}
	}
	y.ensure("nothing changed", 0)
}

// TestVersion: trap 5, entries of managers with a version that is not served any more are in the way of no apply.
func TestVersion(t *testing.T) {
	y := newYard(t)
	y.ensure("first", 1)
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { // with the controllers of the control plane, which write the status
		d := y.stored()
		for i := range d.ManagedFields {
			d.ManagedFields[i].APIVersion = "apps/v9"
		}
		return y.api.Update(t.Context(), d, client.FieldOwner("hand"))
	})
	if err != nil {
		t.Fatal(err)
	}
	y.restart(y.writer.Client)
	y.ensure("after the version is gone", 1)
	if e := y.applied(y.stored()); e == nil || e.APIVersion != "apps/v1" {
		t.Errorf("the entry is %v", e)
	}
	y.ensure("nothing changed", 0)
}

// TestAtomic: trap 6, a list that belongs to one manager as a whole is repaired as a whole.
func TestAtomic(t *testing.T) {
	y := newYard(t)
	y.shape = func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Args = []string{"serve"} }
	y.ensure("first", 1)
	y.patch(`{"spec":{"template":{"spec":{"containers":[{"name":"main","args":["serve","--debug"]}]}}}}`)
	y.ensure("an addition", 1)
	if diff := cmp.Diff([]string{"serve"}, y.stored().Spec.Template.Spec.Containers[0].Args); diff != "" {
		t.Error(diff)
	}
	y.ensure("repaired", 0)
}

// TestRest: trap 7, where the rest of a struct that others own is invalid without the operator's part, the error says so, and nothing is
// changed.
func TestRest(t *testing.T) {
	y := newYard(t)
	y.shape = func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/stop", Port: intstr.FromInt32(80)}}}
	}
	y.ensure("first", 1)
	y.patch(`{"spec":{"template":{"spec":{"containers":[{"name":"main","lifecycle":{"preStop":{"httpGet":{"scheme":"HTTPS"}}}}]}}}}`)
	y.shape = nil
	var refused *child.WriteError
	if err := y.writer.Ensure(t.Context(), y.owner, y.deployment()); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "preStop.httpGet.port") {
		t.Errorf("%v", err)
	}
	if got := y.stored().Spec.Template.Spec.Containers[0].Lifecycle; got == nil || got.PreStop.HTTPGet.Path != "/stop" {
		t.Errorf("it was changed: %v", got)
	}
}

// TestStringData: trap 8, what a Secret has as stringData is applied as data, found when it is edited, and repaired.
func TestStringData(t *testing.T) {
	y := newYard(t)
	secret := func() *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: y.owner.Namespace, Name: "key",
			OwnerReferences: []metav1.OwnerReference{y.writer.OwnerOf(y.owner)}},
			Data: map[string][]byte{"a": []byte("one")}, StringData: map[string]string{"b": "two"}}
	}
	ensure := func(step string, writes int) {
		t.Helper()
		y.writes = 0
		if err := y.writer.Ensure(t.Context(), y.owner, secret()); err != nil || y.writes != writes {
			t.Fatalf("%s: %d writes, %v", step, y.writes, err)
		}
	}
	ensure("first", 1)
	ensure("nothing changed", 0)
	if err := y.api.Patch(t.Context(), secret(), client.RawPatch(types.MergePatchType, []byte(`{"stringData":{"b":"three"}}`)),
		client.FieldOwner("hand")); err != nil {
		t.Fatal(err)
	}
	ensure("an edit", 1)
	got := secret()
	if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(got), got); err != nil || string(got.Data["a"]) != "one" ||
		string(got.Data["b"]) != "two" {
		t.Errorf("%s, %v", got.Data, err)
	}
}

// TestInitial: trap 10, a field that others scale is written at the creation; afterwards neither another desired value, nor theirs, nor a
// restart is a reason to write it.
func TestInitial(t *testing.T) {
	y := newYard(t)
	y.policy = child.Policy{Initial: []string{"spec.replicas"}}
	replicas := func(step string, want int32) {
		t.Helper()
		if got := *y.stored().Spec.Replicas; got != want {
			t.Errorf("%s: %d replicas, want %d", step, got, want)
		}
	}
	y.ensure("first", 1)
	y.shape = func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](7) }
	y.ensure("another desired value", 0)
	y.restart(y.writer.Client)
	y.ensure("a restart", 1)
	replicas("before others set it", 0)
	y.patch(`{"spec":{"replicas":3}}`)
	y.ensure("the claim is lost", 1)
	y.ensure("the claim is lost", 0)
	y.patch(`{"spec":{"replicas":4}}`)
	y.ensure("theirs", 0)
	y.shape = func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 5 }
	y.ensure("another change", 1)
	replicas("after others set it", 4)
}

// TestAdopt: an object that nobody controls becomes a child where the policy says so, and keeps what the author does not set.
func TestAdopt(t *testing.T) {
	y := newYard(t)
	theirs := y.deployment()
	theirs.OwnerReferences, theirs.Spec.MinReadySeconds, theirs.Spec.Template.Spec.Containers[0].Image = nil, 5, "example.dev/theirs:1"
	if err := y.api.Create(t.Context(), theirs, client.FieldOwner("hand")); err != nil {
		t.Fatal(err)
	}
	y.policy = child.Policy{Adopt: true}
	y.ensure("first", 1)
	got := y.stored()
	if got.Spec.MinReadySeconds != 5 || got.Spec.Template.Spec.Containers[0].Image != "example.dev/web:1" ||
		!metav1.IsControlledBy(got, y.owner) {
		t.Errorf("%+v", got.Spec)
	}
	y.ensure("nothing changed", 0)
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: y.owner.Namespace, Name: "other"}}
	if err := y.api.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var owned *child.OwnedError
	if err := y.writer.EnsureWith(t.Context(), other, y.deployment(), y.policy); !errors.As(err, &owned) {
		t.Errorf("the child of another owner is adopted: %v", err)
	}
}

// TestRecreate: trap 9, with a policy for it a child with an immutable field is deleted and created anew.
func TestRecreate(t *testing.T) {
	y := newYard(t)
	y.policy = child.Policy{Recreate: true}
	y.ensure("first", 1)
	before := y.stored().UID
	y.shape = func(d *appsv1.Deployment) {
		d.Spec.Selector.MatchLabels["app"], d.Spec.Template.Labels["app"] = "other", "other"
	}
	if err := y.writer.EnsureWith(t.Context(), y.owner, y.deployment(), y.policy); err == nil ||
		!strings.Contains(err.Error(), "is deleted, to be created anew") {
		t.Fatalf("%v", err)
	}
	y.ensure("anew", 1)
	if got := y.stored(); got.UID == before || got.Spec.Selector.MatchLabels["app"] != "other" {
		t.Errorf("uid %s, %v", got.UID, got.Spec.Selector)
	}
}

// TestReplaced: trap 11, what is removed is the child that was seen, and not one that others made in its place.
func TestReplaced(t *testing.T) {
	y := newYard(t)
	y.ensure("first", 1)
	seen := y.stored()
	if err := y.api.Delete(t.Context(), seen.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	y.ensure("anew", 1)
	behind := interceptor.NewClient(y.api, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey,
		into client.Object, opts ...client.GetOption) error {
		if d, is := into.(*appsv1.Deployment); is {
			seen.DeepCopyInto(d)
			return nil
		}
		return c.Get(ctx, key, into, opts...)
	}})
	y.restart(behind)
	if err := y.writer.Remove(t.Context(), y.owner, y.deployment()); err == nil || !strings.Contains(err.Error(), string(seen.UID)) {
		t.Errorf("%v", err)
	}
	if got := y.stored(); got.UID == seen.UID || !got.DeletionTimestamp.IsZero() {
		t.Errorf("the child that was made in its place is gone: %v", got.ObjectMeta)
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
