// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/kubelet"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Patience bounds every wait: 5 minutes, or the duration in TRISTATE_PATIENCE, as in the record, where the wait of a red test ends in vain.
var Patience = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("TRISTATE_PATIENCE")); err == nil {
		return d
	}
	return 5 * time.Minute
}()

// Options configure a world.
type Options struct {
	Namespace string          // of the operator; it is created
	Account   string          // ServiceAccount of the operator there
	Scheme    *runtime.Scheme // of World.API
	CRDs      string          // folder with the definitions
	Manifest  string          // file with the objects that are installed, as a user does: the account gets exactly its roles; empty: none
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
	around   *rest.Config // of the test, its recorder and its kubelet: TRISTATE_SLOW_TEST makes it slow
	account  string
	args     []string     // of the operator's container
	ahead    atomic.Int64 // nanoseconds that the operator's clock is ahead

	mu      sync.Mutex
	leaving []client.Object
}

// Start brings up a world with a node; the test is skipped in short mode and without a control plane. It ends with the test.
func Start(t *testing.T, o Options) *World {
	t.Helper()
	w := Bare(t, o, 1)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	var err error
	if w.Seen, err = Record(ctx, w.around, o.Recorded); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, wait, err := kubelet.Start(ctx, w.around, kubelet.Options{Dir: t.TempDir(), Command: self, Programs: o.Programs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); wait() })
	w.Kubelet = k
	return w
}

// Bare is [Start] without a record of statuses and without a kubelet: the pods of its nodes run nothing. With TRISTATE_LOG set the operator
// logs to standard error.
func Bare(t *testing.T, o Options, nodes int) *World {
	t.Helper()
	log := logr.Discard()
	if os.Getenv("TRISTATE_LOG") != "" {
		log = klog.Background()
	}
	ctrl.SetLogger(log)
	if testing.Short() {
		t.Skip("it needs a control plane with nodes")
	}
	Turn(t)
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
	w := &World{Config: p.Config(), Namespace: o.Namespace, Admin: p.Kubeconfig(), test: t, account: o.Account}
	w.Config.QPS = -1
	if _, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{Paths: []string{o.CRDs}, MaxTime: Patience,
		ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	w.around = rest.CopyConfig(w.Config)
	plane.SlowTest(w.around)
	if w.API, err = client.New(w.around, client.Options{Scheme: o.Scheme}); err != nil {
		t.Fatal(err)
	}
	if o.Manifest != "" {
		w.Install(t, o.Manifest)
	}
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
	plane.Slow(config)
	return config
}

// Install creates the objects of a manifest. The Deployment has no replicas: tests run the operator in their own process, or as one with
// the arguments of its container. Webhooks and policies are left to the tests of admission.
func (w *World) Install(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatal(err)
		}
		switch kind := o.GetKind(); {
		case kind == "" || o.GroupVersionKind().Group == admissionv1.GroupName:
			continue
		case kind == "Deployment":
			containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
			args, _, err := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
			if err != nil {
				t.Fatal(err)
			}
			for _, arg := range args {
				w.args = append(w.args, strings.ReplaceAll(arg, "$(NAMESPACE)", w.Namespace))
			}
			if err := unstructured.SetNestedField(o.Object, int64(0), "spec", "replicas"); err != nil {
				t.Fatal(err)
			}
		}
		w.Create(t, o)
	}
}

// Admit creates the admission policies of a file, as the manifest of an operator has them.
func (w *World) Admit(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatal(err)
		}
		w.Create(t, o)
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
