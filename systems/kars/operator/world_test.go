// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
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

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/operator/outbound"
	"github.com/tristate/tristate/proof/plane/deny"
	"github.com/tristate/tristate/proof/plane/kubelet"
	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/operator"
	"github.com/tristate/tristate/systems/kars/operator/internal/programs"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var discard = log.New(io.Discard, "", 0)

// resources are those of the nine kinds.
var resources = map[string]string{"karssandboxes": "KarsSandbox", "a2aagents": "A2AAgent", "mcpservers": "McpServer",
	"toolpolicies":      "ToolPolicy",
	"inferencepolicies": "InferencePolicy", "karsmemories": "KarsMemory", "karsevals": "KarsEval", "trustgraphs": "TrustGraph",
	"egressapprovals": "EgressApproval"}

// containers run in the pods. A router looks at its files more often than it would, so that tests need not wait.
var containers = kubelet.Programs{"kars-router": {"--reload=50ms"}, "kars-eval-runner": nil}

// TestMain also runs the programs of the pods.
func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if code, known := programs.Run(ctx, os.Getenv(kubelet.Program), os.Args[1:], os.Stdout, os.Stderr); known {
		os.Exit(code)
	}
	stop()
	os.Exit(world.Main(m))
}

const system = "kars-system"

// kars is a world with the operator, and with the registry, the memory store and the issuer around it.
type kars struct {
	*world.World
	operator  *operator.Operator
	registry  string       // host of the OCI registry
	outage    atomic.Bool  // of the registry
	store     atomic.Int64 // status code that the memory store answers with
	issuer    string       // of OIDC
	authority []byte       // of its certificate
	keys      atomic.Value // key set of the issuer
	options   operator.Options
	lies      sync.Map  // namespaces whose router reports something else to the operator
	next      deny.Next // writes of the operator that are refused
}

// start brings up a world with a running operator; tests share it.
func start(t *testing.T) *kars {
	t.Helper()
	w := base(t)
	w.run(t)
	return w
}

// base brings up a world without an operator.
func base(t *testing.T) *kars { return bare(t, containers) }

// bare is base with other programs in the pods.
func bare(t *testing.T, programs kubelet.Programs) *kars {
	t.Helper()
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	o := world.Options{Namespace: system, Account: "kars-operator", Scheme: scheme, CRDs: "config/crd", Manifest: "deploy/install.yaml",
		Programs: programs}
	for plural, kind := range resources {
		o.Recorded = append(o.Recorded, world.Resource{GVR: api.GroupVersion.WithResource(plural), Kind: kind})
	}
	w := &kars{World: world.Start(t, o)}
	w.Admit(t, "config/admission/policies.yaml")
	w.around(t)
	w.Create(t, policy(t))
	return w
}

// around starts the registry, the memory store and the issuer.
func (w *kars) around(t *testing.T) {
	t.Helper()
	store := registry.New(registry.WithReferrersSupport(true), registry.Logger(discard))
	oci := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.outage.Load() {
			http.Error(rw, "lost", http.StatusServiceUnavailable)
			return
		}
		store.ServeHTTP(rw, r)
	}))
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
	w.issuer, w.authority = issuer.URL, issuer.Certificate().Raw
	proxy, err := url.Parse(w.Kubelet.Proxy())
	if err != nil {
		t.Fatal(err)
	}
	push := world.Free(t)
	w.options = operator.Options{
		Settings: kit.Settings{PushURL: "http://" + push, InferenceEndpoint: "http://models.invalid", MemoryEndpoint: memory.URL,
			RouterImage: "kars-router", RunnerImage: "kars-eval-runner",
			RuntimeImages: map[string]string{"OpenClaw": "openclaw", "LangGraph": "langgraph"}},
		PushAddress: push, PlainRegistries: true, Now: w.Now, Gate: loopback(t), Authorities: issuing(issuer),
		// Without a timeout: a router of a busy machine is late and not dead.
		RouterPoll: 200 * time.Millisecond, Routers: &http.Client{Transport: liars{w, &http.Transport{Proxy: http.ProxyURL(proxy)}}},
		Manager: world.Manager(),
	}
}

// loopback is a gate that lets the operator reach the registry and the issuer of this process.
func loopback(t *testing.T) *outbound.Gate {
	t.Helper()
	gate := &outbound.Gate{}
	if err := gate.Set("127.0.0.0/8"); err != nil {
		t.Fatal(err)
	}
	return gate
}

// issuing are the authorities that the certificate of an issuer is verified with.
func issuing(issuer *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(issuer.Certificate())
	return pool
}

// run starts an operator with exactly its permissions.
func (w *kars) run(t *testing.T) {
	t.Helper()
	w.operator = world.Operate(t, w.World, func(config *rest.Config, registry *prometheus.Registry) (*operator.Operator, error) {
		options := w.options
		options.Registry = registry
		config.Wrap(w.next.Wrap)
		return operator.New(config, options)
	})
}

// occupy puts a ConfigMap of somebody else where the operator wants to write; free removes it again.
func (w *kars) occupy(t *testing.T, namespace, name string) (free func()) {
	t.Helper()
	squatter := w.Occupy(t, namespace, name)
	return func() {
		t.Helper()
		w.Remove(t, squatter)
		w.Wake(t)
	}
}

// remember makes a call of a sandbox's runtime to its memory store, which answers with a code.
func (w *kars) remember(t *testing.T, sandbox string, code int) {
	t.Helper()
	w.store.Store(int64(code))
	world.Eventually(t, func() error {
		have, err := w.asAgent(t, sandbox, "/memory/notes")
		if err == nil && have != code {
			err = fmt.Errorf("the memory answers %d, want %d", have, code)
		}
		return err
	})
}

// asAgent makes a request of a sandbox's agent to its router, and returns the status of the answer.
func (w *kars) asAgent(t *testing.T, sandbox, path string) (int, error) {
	t.Helper()
	namespace := kit.SandboxNamespace(sandbox)
	address := w.Kubelet.Address(namespace, kit.AgentPort)
	if address == "" {
		return 0, errors.New("the router does not run")
	}
	var secret corev1.Secret
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: kit.AgentTokenSecret}, &secret); err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+string(secret.Data[kit.TokenKey]))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func encode(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}
