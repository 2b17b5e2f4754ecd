// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/plane"
	"github.com/tristate/tristate/operators/kars/internal/corpus"
	"github.com/tristate/tristate/operators/kars/internal/kit"
	"github.com/tristate/tristate/operators/kars/internal/kubelet"
	"github.com/tristate/tristate/operators/kars/internal/operator"
	"github.com/tristate/tristate/operators/kars/internal/router"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// TestMain is also the programs that run in pods.
func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	switch os.Getenv(kubelet.Program) {
	case "kars-router":
		os.Exit(router.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	case "kars-eval-runner":
		os.Exit(corpus.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	stop()
	os.Exit(m.Run())
}

const system = "kars-system"

// world is a cluster with nodes, the operator, and what is around it.
type world struct {
	config   *rest.Config
	api      client.Client
	operator *operator.Operator
	kubelet  *kubelet.Kubelet
	seen     *recorder
	clock    atomic.Int64 // nanoseconds that the operator's clock is ahead
	registry string       // host of the OCI registry
	store    atomic.Int64 // what the memory store answers
	issuer   string       // of OIDC
	keys     atomic.Value // what the issuer has as key set
	stop     func() error // of the operator
	options  operator.Options
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.clock.Load())) }

// start brings up a world; tests share it.
func start(t *testing.T) *world {
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
	w := &world{config: p.Config()}
	w.config.QPS = -1
	if _, err := envtest.InstallCRDs(w.config, envtest.CRDInstallOptions{Paths: []string{"config/crd"}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	if w.api, err = client.New(w.config, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	w.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system}})
	w.permissions(t)

	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	w.seen = record(ctx, t, w.config)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, wait, err := kubelet.Start(ctx, w.config, t.TempDir(), self)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); wait() })
	w.kubelet = k
	w.around(t)
	w.create(t, policy(t))
	w.run(t)
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// permissions returns the operator's account exactly the generated permissions.
func (w *world) permissions(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile("config/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: system, Name: "kars-operator"}}
	ref := rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Name: "kars-operator"}
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
			w.create(t, role)
			ref.Kind = "ClusterRole"
			w.create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "kars-operator"}, RoleRef: ref, Subjects: subjects})
		case "Role":
			role := &rbacv1.Role{}
			if err := yaml.UnmarshalStrict(document, role); err != nil {
				t.Fatal(err)
			}
			w.create(t, role)
			ref.Kind = "Role"
			w.create(t, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "kars-operator"}, RoleRef: ref, Subjects: subjects})
		}
	}
}

// around starts the registry, the memory store and the issuer.
func (w *world) around(t *testing.T) {
	t.Helper()
	oci := httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(discard)))
	t.Cleanup(oci.Close)
	w.registry = strings.TrimPrefix(oci.URL, "http://")
	w.store.Store(http.StatusOK)
	memory := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(int(w.store.Load())) }))
	t.Cleanup(memory.Close)
	w.keys.Store(`{"keys":[]}`)
	issuer := httptest.NewUnstartedServer(nil)
	issuer.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/keys" {
			fmt.Fprint(rw, w.keys.Load())
			return
		}
		fmt.Fprintf(rw, `{"issuer":%q,"jwks_uri":"%s/keys"}`, issuer.URL, issuer.URL)
	})
	issuer.Config.ErrorLog = discard
	issuer.StartTLS()
	t.Cleanup(issuer.Close)
	w.issuer = issuer.URL
	proxy, err := url.Parse(w.kubelet.Proxy())
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	push := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	w.options = operator.Options{
		PushAddress: push, PushURL: "http://" + push,
		InferenceEndpoint: "http://models.invalid", MemoryEndpoint: memory.URL, RouterImage: "kars-router", RunnerImage: "kars-eval-runner",
		RuntimeImages: map[string]string{"OpenClaw": "openclaw", "LangGraph": "langgraph"}, PlainRegistries: true, Now: w.now, Web: issuer.Client(),
		RouterPoll: 200 * time.Millisecond, Routers: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}},
		Manager: manager.Options{Metrics: server.Options{BindAddress: "0"}, Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)},
			LeaderElection: true, LeaderElectionID: "kars-operator", LeaderElectionNamespace: system, LeaderElectionReleaseOnCancel: true},
	}
}

// run starts an operator that may do what its permissions allow.
func (w *world) run(t *testing.T) {
	t.Helper()
	config := rest.CopyConfig(w.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + system + ":kars-operator"}
	options := w.options
	options.Registry = prometheus.NewPedanticRegistry()
	o, err := operator.New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Start(ctx) }()
	w.operator = o
	w.stop = sync.OnceValue(func() error { cancel(); return <-ended })
}

// wake judges everything again, as after a retry that would take a minute.
func (w *world) wake(t *testing.T) {
	t.Helper()
	if err := w.operator.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// advance moves the operator's clock.
func (w *world) advance(t *testing.T, d time.Duration) {
	t.Helper()
	w.clock.Add(int64(d))
	w.wake(t)
}

func (w *world) create(t *testing.T, o client.Object) {
	t.Helper()
	if err := w.api.Create(t.Context(), o); err != nil {
		t.Fatalf("create %T %s: %v", o, o.GetName(), err)
	}
}

func (w *world) remove(t *testing.T, o client.Object) {
	t.Helper()
	if err := w.api.Delete(t.Context(), o); client.IgnoreNotFound(err) != nil {
		t.Fatalf("delete %T %s: %v", o, o.GetName(), err)
	}
}

// edit changes an object, and again after a conflict.
func edit[T client.Object](t *testing.T, w *world, o T, change func(T)) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := w.api.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		change(o)
		return w.api.Update(t.Context(), o)
	})
	if err != nil {
		t.Fatalf("edit %T %s: %v", o, o.GetName(), err)
	}
}

// cordon lets the nodes take no more pods, or take them again.
func (w *world) cordon(t *testing.T, on bool) {
	t.Helper()
	var nodes corev1.NodeList
	if err := w.api.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		edit(t, w, &nodes.Items[i], func(n *corev1.Node) { n.Spec.Unschedulable = on })
	}
}

// namespace creates a namespace of a test.
func (w *world) namespace(t *testing.T) string {
	t.Helper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "team-"}}
	w.create(t, n)
	return n.Name
}

// occupy puts a ConfigMap of somebody else where the operator wants to write; free removes it again.
func (w *world) occupy(t *testing.T, namespace, name string) (free func()) {
	t.Helper()
	squatter := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Immutable: ptr.To(true)}
	w.create(t, squatter)
	return func() {
		t.Helper()
		w.remove(t, squatter)
		w.wake(t)
	}
}

// remember has the runtime of a sandbox call its memory store, which answers with a code.
func (w *world) remember(t *testing.T, sandbox string, code int) {
	t.Helper()
	w.store.Store(int64(code))
	eventually(t, func() error {
		address := w.kubelet.Router(kit.SandboxNamespace(sandbox), kit.RouterPort)
		if address == "" {
			return errors.New("the router does not run")
		}
		response, err := http.Get("http://" + address + "/memory/notes")
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != code {
			return fmt.Errorf("the memory answers %d, want %d", response.StatusCode, code)
		}
		return nil
	})
}

// eventually repeats a check until it holds.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// gone waits until an object does not exist.
func (w *world) gone(t *testing.T, o client.Object) {
	t.Helper()
	eventually(t, func() error {
		if err := w.api.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is still there: %v", o.GetName(), err)
		}
		return nil
	})
}

func encode(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
