// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/plane"
	"github.com/tristate/tristate/operators/internal/kubelet"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Patience bounds every wait.
const Patience = 3 * time.Minute

// Options configure a world.
type Options struct {
	Namespace string          // of the operator; it is created
	Account   string          // ServiceAccount of the operator there
	Scheme    *runtime.Scheme // of World.API
	CRDs      string          // folder with the definitions
	Roles     string          // file with the generated roles; the account gets exactly them
	Programs  kubelet.Programs
	Recorded  []Resource
}

// World is a cluster with nodes, and everything around it that a test needs.
type World struct {
	Config    *rest.Config  // of an administrator
	API       client.Client // of an administrator, without a cache
	Kubelet   *kubelet.Kubelet
	Seen      *Recorder
	Namespace string               // of the operator
	Admin     string               // kubeconfig file of an administrator
	Metrics   *prometheus.Registry // of the operator that was started last

	test     *testing.T // that started it
	operator Operator   // that runs
	stop     func() error
	account  string
	ahead    atomic.Int64 // nanoseconds that the operator's clock is ahead
}

// Start brings up a world; the test is skipped in short mode and without a control plane. It ends with the test.
func Start(t *testing.T, o Options) *World {
	t.Helper()
	ctrl.SetLogger(logr.Discard())
	if testing.Short() {
		t.Skip("it needs a control plane with nodes")
	}
	p, err := plane.Start(t.Context(), plane.Options{Nodes: 1})
	if errors.Is(err, plane.ErrNotBuilt) && os.Getenv("TRISTATE_REQUIRE_PLANE") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := &World{Config: p.Config(), Namespace: o.Namespace, Admin: p.Kubeconfig(), test: t, account: o.Account}
	w.Config.QPS = -1
	if _, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{Paths: []string{o.CRDs}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	if w.API, err = client.New(w.Config, client.Options{Scheme: o.Scheme}); err != nil {
		t.Fatal(err)
	}
	w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.Namespace}})
	w.Create(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Account}})
	w.permissions(t, o.Roles)

	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	if w.Seen, err = Record(ctx, w.Config, o.Recorded); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, wait, err := kubelet.Start(ctx, w.Config, kubelet.Options{Dir: t.TempDir(), Command: self, Programs: o.Programs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); wait() })
	w.Kubelet = k
	return w
}

// Now returns the time by the clock of the operator.
func (w *World) Now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

// Advance moves the clock of the operator; who is to notice has to be woken.
func (w *World) Advance(d time.Duration) { w.ahead.Add(int64(d)) }

// User returns the user name of the operator.
func (w *World) User() string { return "system:serviceaccount:" + w.Namespace + ":" + w.account }

// Account returns a client configuration with the permissions of the operator.
func (w *World) Account() *rest.Config {
	config := rest.CopyConfig(w.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: w.User()}
	return config
}

// permissions binds the account to exactly the roles of a file.
func (w *World) permissions(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: w.Namespace, Name: w.account}}
	ref := func(kind, name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.Kind {
		case "ClusterRole":
			role := &rbacv1.ClusterRole{}
			if err := yaml.UnmarshalStrict(document, role); err != nil {
				t.Fatal(err)
			}
			w.Create(t, role)
			w.Create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: ref("ClusterRole", role.Name), Subjects: subjects})
		case "Role":
			role := &rbacv1.Role{}
			if err := yaml.UnmarshalStrict(document, role); err != nil {
				t.Fatal(err)
			}
			w.Create(t, role)
			w.Create(t, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: role.Namespace, Name: role.Name}, RoleRef: ref("Role", role.Name), Subjects: subjects})
		case "":
		default:
			t.Fatalf("%s has a %s, which is no role", file, kind.Kind)
		}
	}
}

// Condition returns a condition of an object as it is stored now; the object is read again.
func (w *World) Condition(t *testing.T, o client.Object, conditionType string) *metav1.Condition {
	t.Helper()
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	return meta.FindStatusCondition(o.(interface{ GetConditions() []metav1.Condition }).GetConditions(), conditionType)
}

// Judged returns an error while the current generation of an object has no condition of a type.
func (w *World) Judged(t *testing.T, o client.Object, conditionType string) error {
	t.Helper()
	if c := w.Condition(t, o, conditionType); c == nil || c.ObservedGeneration != o.GetGeneration() {
		return fmt.Errorf("generation %d of %s has not been judged", o.GetGeneration(), o.GetName())
	}
	return nil
}
