// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/prove/plane"
	"github.com/tristate/tristate/internal/prove/plane/deny"
	"github.com/tristate/tristate/operator/program"
	"github.com/tristate/tristate/operators/internal/world"
	"github.com/tristate/tristate/operators/kro/internal/operator"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

// TestMain is also the program kro-operator.
func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // until the test that started it is gone
			os.Exit(program.ExitFailed)
		}()
		os.Exit(operator.Run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stderr))
	}
	log := logr.Discard()
	if os.Getenv("TRISTATE_LOG") != "" {
		log = klog.Background()
		patience = 50 * time.Second
	}
	ctrl.SetLogger(log)
	if os.Getenv("TRISTATE_LOG") == "" {
		klog.SetLogger(log)
	}
	os.Exit(world.Main(m))
}

// patience is how long a test waits for something that must come.
var patience = 5 * time.Minute

// Who the two programs are for the API server. The operator has exactly the permissions of config/rbac, and those that an administrator
// grants for kinds; kro has those of the groups that a test names.
const (
	system          = "kro-system"
	account         = "system:serviceaccount:" + system + ":kro-operator"
	upstreamAccount = "kro"
)

// side is a control plane with one of the two programs.
type side struct {
	name   string
	config *rest.Config // of the test, which may do everything
	api    client.Client
	run    func(t *testing.T, config *rest.Config) (stop func() error)
	stop   func() error
	counts counts
	plane  *plane.Plane

	process *process // of the operator, where it runs as one
	fuse    fuse
	next    deny.Next // writes of the program that are refused
	kills   int
}

// counts are the requests of a program, and what it wrote into statuses.
type counts struct {
	writes, status, reads atomic.Int64
	again                 atomic.Int64 // status requests with the conditions of the one before

	mu      sync.Mutex
	written []written
	last    map[string]string // path to the conditions that were sent last
	trail   trail
}

// written is a condition that was sent.
type written struct{ path, conditionType, status, reason, message string }

// record notes the conditions of a status that is sent.
func (c *counts) record(r *http.Request) {
	if r.Body == nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	var o struct {
		Kind     string
		Metadata struct{ UID string }
		Status   struct {
			Conditions []struct{ Type, Status, Reason, Message string }
		}
	}
	var whole struct{ Status any }
	if err != nil || json.Unmarshal(body, &o) != nil || json.Unmarshal(body, &whole) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = map[string]string{}
	}
	sent := fmt.Sprint(whole.Status) // maps are printed in the order of their keys
	if c.last[r.URL.Path] == sent {
		c.again.Add(1)
	}
	c.last[r.URL.Path] = sent
	var cells []string
	for _, w := range o.Status.Conditions {
		cells = append(cells, fmt.Sprintf("%s=%s %s", w.Type, w.Status, w.Reason))
	}
	c.trail.add(o.Kind, o.Metadata.UID, cells)
	for _, w := range o.Status.Conditions {
		c.written = append(c.written, written{r.URL.Path, w.Type, w.Status, w.Reason, w.Message})
	}
}

// refused notes that a status was not taken.
func (c *counts) refused(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, path)
}

// take returns what was written since it was asked last.
func (c *counts) take() []written {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.written
	c.written = nil
	return out
}

func (c *counts) wrap(next http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		switch {
		case strings.Contains(r.URL.Path, "/leases/") || strings.HasSuffix(r.URL.Path, "/leases") || strings.Contains(r.URL.Path, "/events"):
		case r.Method == http.MethodGet:
			c.reads.Add(1)
		default:
			c.writes.Add(1)
			if strings.HasSuffix(r.URL.Path, "/status") {
				c.status.Add(1)
				c.record(r)
				response, err := next.RoundTrip(r)
				if err != nil || response.StatusCode >= http.StatusMultipleChoices { // it may be sent again as it is
					c.refused(r.URL.Path)
				}
				return response, err
			}
		}
		return next.RoundTrip(r)
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// kroCRDs is the folder of kro's own CustomResourceDefinitions, in the module.
var kroCRDs = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubernetes-sigs/kro").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "helm", "crds"), err
})

// start brings up a control plane with a program on it; nil is the operator as a process that is made anew where it ends.
func start(t *testing.T, name string, nodes int, run func(*testing.T, *rest.Config) func() error) *side {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane")
	}
	world.Turn(t)
	p, err := plane.Start(t.Context(), plane.Options{Nodes: nodes})
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
	crds, err := kroCRDs()
	if err != nil {
		t.Fatal(err)
	}
	s := &side{name: name, config: p.Config(), run: run, plane: p}
	s.config.QPS = -1
	own := filepath.Join(t.TempDir(), "catalogs.yaml")
	if err := os.WriteFile(own, catalog.CRDYAML, 0o600); err != nil {
		t.Fatal(err)
	}
	if name == "tristate" {
		crds = "config/crd"
	}
	if _, err := envtest.InstallCRDs(s.config, envtest.CRDInstallOptions{Paths: []string{crds, own}, MaxTime: world.Patience,
		ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	if s.api, err = client.New(s.config, client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	s.install(t)
	s.begin(t)
	t.Cleanup(func() { s.end(t) })
	return s
}

// begin starts the program.
func (s *side) begin(t *testing.T) {
	t.Helper()
	config := rest.CopyConfig(s.config)
	config.Wrap(s.counts.wrap)
	config.Wrap(s.next.Wrap)
	config.Impersonate = rest.ImpersonationConfig{UserName: s.account()}
	if s.run == nil {
		s.stop = s.program(t, config)
		return
	}
	s.stop = s.run(t, config)
}

// end stops it, as abruptly as a context does.
func (s *side) end(t *testing.T) {
	t.Helper()
	if s.stop == nil {
		return
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	s.stop = nil
}

// options of a manager in a test.
func options() manager.Options {
	return manager.Options{Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}, GracefulShutdownTimeout: ptr.To(10 * time.Second)}
}

// ours starts the operator of this module.
func ours(t *testing.T, config *rest.Config) func() error {
	t.Helper()
	return begin(t, config, operator.Options{})
}

// begin starts an operator with options.
func begin(t *testing.T, config *rest.Config, o operator.Options) func() error {
	t.Helper()
	o.Manager, o.Registry = options(), prometheus.NewPedanticRegistry()
	program, err := operator.New(config, o)
	if err != nil {
		t.Fatal(err)
	}
	return background(program.Start)
}

// background runs something until it is stopped.
func background(f func(context.Context) error) func() error {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f(ctx) }()
	return sync.OnceValue(func() error { cancel(); return <-ended })
}

// decode reads one object of YAML.
func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &u.Object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return u
}

// file reads a definition of testdata.
func file(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(data))
}

// create makes an object; a kind that is not served yet is waited for. The kind of a definition is granted before.
func (s *side) create(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	if o.GetKind() == "ResourceGraphDefinition" {
		s.grantKinds(t, o)
	}
	s.eventually(t, func() error {
		err := s.api.Create(t.Context(), o.DeepCopy())
		if err != nil && !meta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
			t.Fatalf("%s: create %s: %v", s.name, o.GetName(), err)
		}
		return err
	})
}

// edit changes an object, and again after a conflict.
func (s *side) edit(t *testing.T, ref *unstructured.Unstructured, change func(*unstructured.Unstructured)) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		o := blank(ref)
		if err := s.api.Get(t.Context(), client.ObjectKeyFromObject(ref), o); err != nil {
			return err
		}
		change(o)
		return s.api.Update(t.Context(), o)
	})
	if err != nil {
		t.Fatalf("%s: edit %s: %v", s.name, ref.GetName(), err)
	}
}

// remove deletes an object.
func (s *side) remove(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	if err := s.api.Delete(t.Context(), o.DeepCopy()); client.IgnoreNotFound(err) != nil {
		t.Fatalf("%s: delete %s: %v", s.name, o.GetName(), err)
	}
}

// read gets an object as it is stored; nil without one.
func (s *side) read(t *testing.T, ref *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	o := blank(ref)
	err := s.api.Get(t.Context(), client.ObjectKeyFromObject(ref), o)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: read %s: %v", s.name, ref.GetName(), err)
	}
	return o
}

func blank(ref *unstructured.Unstructured) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(ref.GroupVersionKind())
	return o
}

// eventually repeats a check until it holds.
func (s *side) eventually(t *testing.T, check func() error) {
	t.Helper()
	defer world.Slow(t, time.Now())
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		s.revive(t)
		if err = check(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", s.name, err)
}

// says is a condition of an object as "Status Reason"; empty without one.
func says(o *unstructured.Unstructured, name string) string {
	if c := find(o, name); c != nil {
		return string(c.Status) + " " + c.Reason
	}
	return ""
}

func find(o *unstructured.Unstructured, name string) *metav1.Condition {
	if o == nil {
		return nil
	}
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, entry := range list {
		m, _ := entry.(map[string]any)
		text := func(k string) string { v, _ := m[k].(string); return v }
		if text("type") == name {
			generation, _, _ := unstructured.NestedInt64(m, "observedGeneration")
			return &metav1.Condition{Type: name, Status: metav1.ConditionStatus(text("status")), Reason: text("reason"), Message: text("message"),
				ObservedGeneration: generation}
		}
	}
	return nil
}

// expect waits until an object says what is expected of each condition, at its current generation.
func (s *side) expect(t *testing.T, ref *unstructured.Unstructured, want map[string]string) *unstructured.Unstructured {
	t.Helper()
	var o *unstructured.Unstructured
	s.eventually(t, func() error {
		o = s.read(t, ref)
		if o == nil {
			return fmt.Errorf("%s does not exist", ref.GetName())
		}
		for name, cell := range want {
			got := says(o, name)
			if !strings.HasPrefix(got, cell) || cell == "" && got != "" {
				conditions, _ := yaml.Marshal(o.Object["status"])
				return fmt.Errorf("%s %s is %q, want %q\n%s", ref.GetName(), name, got, cell, conditions)
			}
			if c := find(o, name); c != nil && c.ObservedGeneration != o.GetGeneration() {
				return fmt.Errorf("%s %s is of generation %d, want %d", ref.GetName(), name, c.ObservedGeneration, o.GetGeneration())
			}
		}
		return nil
	})
	return o
}

// gone waits until an object does not exist.
func (s *side) gone(t *testing.T, ref *unstructured.Unstructured) {
	t.Helper()
	s.eventually(t, func() error {
		if o := s.read(t, ref); o != nil {
			conditions, _ := yaml.Marshal(o.Object["status"])
			return fmt.Errorf("%s is still there\n%s", ref.GetName(), conditions)
		}
		return nil
	})
}

// tristate runs the command as a person does, and returns its exit code and output.
func (s *side) tristate(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	app := cli.New()
	app.Out, app.Err = &out, &out
	if args[0] != "docs" {
		args = append(args, "--kubeconfig", s.plane.Kubeconfig())
	}
	code := app.Run(t.Context(), args)
	return code, out.String()
}

// object names an object.
func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}
