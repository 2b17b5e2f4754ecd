// SPDX-License-Identifier: Apache-2.0

package deny_test

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/deny"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestMain(m *testing.M) { plane.Main(m) }

// TestWrites: one account cannot create, change or delete objects of one kind; another account and other names can; afterwards it can.
func TestWrites(t *testing.T) {
	config := plane.ForTest(t)
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	as := rest.CopyConfig(config)
	as.Impersonate = rest.ImpersonationConfig{UserName: "writer", Groups: []string{"system:masters"}}
	writer, err := client.New(as, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "deny-"}}
	if err := admin.Create(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	named := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: space.Name, Name: name}}
	}
	kept := named("a-kept")
	if err := admin.Create(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	allow, err := deny.Writes(t.Context(), admin, deny.Rule{User: "writer", Resource: "secrets", Namespace: space.Name, Prefix: "a-"})
	if err != nil {
		t.Fatal(err)
	}
	kept.Data = map[string][]byte{"a": []byte("b")}
	attempts := func() map[string]error {
		return map[string]error{"create": writer.Create(t.Context(), named("a-new"), client.DryRunAll),
			"change": writer.Update(t.Context(), kept.DeepCopy(), client.DryRunAll),
			"delete": writer.Delete(t.Context(), kept, client.DryRunAll)}
	}
	for what, err := range attempts() {
		if err == nil || !strings.Contains(err.Error(), deny.Message) {
			t.Errorf("%s: %v, want that it is refused", what, err)
		}
	}
	for what, err := range map[string]error{"another name": writer.Create(t.Context(), named("b-new")),
		"another account": admin.Create(t.Context(), named("a-other")),
		"another kind":    writer.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: named("a-map").ObjectMeta})} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := allow(); err != nil {
		t.Fatal(err)
	}
	for what, err := range attempts() {
		if err != nil {
			t.Errorf("%s afterwards: %v", what, err)
		}
	}
	// A rule about a namespace that does not exist, any more or yet, begins and ends all the same.
	if allow, err = deny.Writes(t.Context(), admin, deny.Rule{User: "writer", Resource: "secrets", Namespace: "none"}); err == nil {
		err = allow()
	}
	if err != nil {
		t.Error(err)
	}
}
