// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"bytes"
	"encoding/json"
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
	"github.com/tristate/tristate/proof/plane/deny"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
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
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

// TestMain is also the program kro-operator.
func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Exit(operator.Run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stderr, obey))
	}
	if os.Getenv("TRISTATE_LOG") == "" {
		klog.SetLogger(logr.Discard())
	}
	os.Exit(world.Main(m))
}

// Who the two programs are for the API server. The operator has exactly the permissions of config/rbac, and those that an administrator
// grants for kinds; kro has those of the groups that a test names.
const (
	system          = "kro-system"
	manifest        = "deploy/install.yaml"
	upstreamAccount = "kro"
)

// side is a control plane with one of the two programs.
type side struct {
	*world.World
	name   string
	run    runner
	counts counts

	process *process // of the operator, where it runs as one
	fuse    fuse
	next    deny.Next // writes of the program that are refused
	kills   int
}

// runner makes a program that has the permissions of a configuration.
type runner func(*testing.T, *side, *rest.Config, *prometheus.Registry) (world.Operator, error)

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

// start brings up a control plane with a program on it; nil: none runs yet.
func start(t *testing.T, name string, nodes int, run runner) *side {
	t.Helper()
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	o := world.Options{Namespace: system, Account: "kro-operator", Scheme: scheme, CRDs: "config/crd", Manifest: manifest}
	if name == "kro" {
		o.Manifest = ""
		if o.CRDs, err = kroCRDs(); err != nil {
			t.Fatal(err)
		}
	}
	s := &side{World: world.Bare(t, o, nodes), name: name, run: run}
	if err := live.Install(t.Context(), s.Config, catalog.CRDYAML); err != nil {
		t.Fatal(err)
	}
	s.install(t)
	if run != nil {
		s.begin(t)
	}
	return s
}

// begin starts the program.
func (s *side) begin(t *testing.T) {
	t.Helper()
	world.Operate(t, s.World, func(config *rest.Config, registry *prometheus.Registry) (world.Operator, error) {
		config.Wrap(s.counts.wrap)
		config.Wrap(s.next.Wrap)
		config.Impersonate.UserName = s.account()
		return s.run(t, s, config, registry)
	})
}

// end stops it, as abruptly as a context does.
func (s *side) end(t *testing.T) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// options of a manager in a test.
func options() manager.Options {
	return manager.Options{Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}, GracefulShutdownTimeout: ptr.To(10 * time.Second)}
}

// ours runs the operator of this module.
var ours = configured(operator.Options{})

// configured runs it with options.
func configured(o operator.Options) runner {
	return func(_ *testing.T, s *side, config *rest.Config, registry *prometheus.Registry) (world.Operator, error) {
		o := o
		o.Manager, o.Registry, o.Now = options(), registry, s.Now
		return operator.New(config, o)
	}
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
		err := s.API.Create(t.Context(), o.DeepCopy())
		if err != nil && !meta.IsNoMatchError(err) && !apierrors.IsNotFound(err) {
			t.Fatalf("%s: create %s: %v", s.name, o.GetName(), err)
		}
		return err
	})
}

// edit changes an object, and again after a conflict.
func (s *side) edit(t *testing.T, ref *unstructured.Unstructured, change func(*unstructured.Unstructured)) {
	t.Helper()
	s.editAs(t, "", ref, change)
}

// editAs is edit under a field manager.
func (s *side) editAs(t *testing.T, manager string, ref *unstructured.Unstructured, change func(*unstructured.Unstructured)) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		o := blank(ref)
		if err := s.API.Get(t.Context(), client.ObjectKeyFromObject(ref), o); err != nil {
			return err
		}
		change(o)
		return s.API.Update(t.Context(), o, client.FieldOwner(manager))
	})
	if err != nil {
		t.Fatalf("%s: edit %s: %v", s.name, ref.GetName(), err)
	}
}

// remove deletes an object.
func (s *side) remove(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	if err := s.API.Delete(t.Context(), o.DeepCopy()); client.IgnoreNotFound(err) != nil {
		t.Fatalf("%s: delete %s: %v", s.name, o.GetName(), err)
	}
}

// read gets an object as it is stored; nil without one.
func (s *side) read(t *testing.T, ref *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	o := blank(ref)
	err := s.API.Get(t.Context(), client.ObjectKeyFromObject(ref), o)
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
	world.Eventually(t, func() error {
		s.revive(t)
		if err := check(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		return nil
	})
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

// mentions waits until the message of a condition has a text.
func (s *side) mentions(t *testing.T, ref *unstructured.Unstructured, name, text string) {
	t.Helper()
	s.eventually(t, func() error {
		if c := find(s.read(t, ref), name); c == nil || !strings.Contains(c.Message, text) {
			return fmt.Errorf("%s of %s is %+v, want it to mention %q", name, ref.GetName(), c, text)
		}
		return nil
	})
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
		args = append(args, "--kubeconfig", s.Admin)
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
