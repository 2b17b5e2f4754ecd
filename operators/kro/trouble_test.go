// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/operators/kro/internal/operator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// expected is what an instance of WebApp is expected to be.
type expected struct {
	exists, notes, suspended bool
	outcome                  string
	replicas                 int64
}

// TestRandomSteps: after any steps, with the operator killed at any point of them, every instance says what follows from its spec and its
// resources alone. KRO_STEPS is the number of steps, KRO_SEED repeats a run.
func TestRandomSteps(t *testing.T) {
	steps, seed := number(t, "KRO_STEPS", 40), number(t, "KRO_SEED", int(time.Now().UnixNano()%1e6))
	t.Logf("KRO_SEED=%d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 7))
	s := start(t, "tristate", 1, ours)
	definition := file(t, "webapp")
	s.create(t, definition)
	s.expect(t, definition, map[string]string{"Ready": "True AllReady"})
	model := map[string]*expected{"a": {}, "b": {}, "c": {}}
	names := []string{"a", "b", "c"}
	ref := func(name string) *unstructured.Unstructured { return instance(t, "WebApp", name, "") }
	edit := func(name string, value any, field string) {
		s.edit(t, ref(name), func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, value, "spec", field) })
	}
	for i := range steps {
		name := names[random.IntN(len(names))]
		m := model[name]
		what := "nothing"
		switch kind := random.IntN(9); {
		case kind == 8:
			what = "kill"
			s.end(t)
			s.begin(t)
		case !m.exists:
			what = "create " + name
			*m = expected{exists: true, outcome: []string{"ready", "hang"}[random.IntN(2)], replicas: 1}
			s.create(t, instance(t, "WebApp", name, "outcome: "+m.outcome))
		case kind == 0:
			what = "delete " + name
			s.remove(t, ref(name))
			s.gone(t, ref(name))
			*m = expected{}
		case kind == 1:
			m.outcome = []string{"ready", "hang"}[random.IntN(2)]
			what = "outcome of " + name + " " + m.outcome
			edit(name, m.outcome, "outcome")
		case kind == 2:
			m.replicas = int64(1 + random.IntN(3))
			what = fmt.Sprintf("replicas of %s %d", name, m.replicas)
			edit(name, m.replicas, "replicas")
		case kind == 3:
			m.notes = !m.notes
			what = fmt.Sprintf("notes of %s %v", name, m.notes)
			edit(name, m.notes, "notes")
		case kind == 4:
			what = "delete the Deployment of " + name
			s.remove(t, object("apps/v1", "Deployment", "default", name))
		case kind == 5:
			what = "delete the Service of " + name
			s.remove(t, object("v1", "Service", "default", name))
		case kind == 6:
			m.suspended = !m.suspended
			what = fmt.Sprintf("suspend %s %v", name, m.suspended)
			value := map[bool]string{true: "suspended", false: "enabled"}[m.suspended]
			s.edit(t, ref(name), func(u *unstructured.Unstructured) {
				u.SetAnnotations(with(u.GetAnnotations(), "kro.run/reconcile", value))
			})
		case kind == 7:
			what = "edit the Service of " + name
			if o := s.read(t, object("v1", "Service", "default", name)); o != nil && o.GetDeletionTimestamp() == nil {
				s.edit(t, o, func(u *unstructured.Unstructured) {
					_ = unstructured.SetNestedStringMap(u.Object, map[string]string{"app": "wrong"}, "spec", "selector")
				})
			}
		}
		t.Logf("step %d: %s", i, what)
		if i%5 == 4 || i == steps-1 {
			for _, name := range names {
				s.follows(t, name, model[name])
			}
		}
	}
	for _, w := range s.counts.take() {
		if w.status == "False" {
			t.Errorf("nobody had to act, and %s was False: %s %s", w.conditionType, w.reason, w.message)
		}
	}
}

// follows waits until an instance is as it is expected.
func (s *side) follows(t *testing.T, name string, m *expected) {
	t.Helper()
	ref := instance(t, "WebApp", name, "")
	web, service, notes := object("apps/v1", "Deployment", "default", name), object("v1", "Service", "default", name), object("v1", "ConfigMap", "default", name+"-notes")
	if !m.exists {
		for _, o := range []*unstructured.Unstructured{ref, web, service, notes} {
			s.gone(t, o)
		}
		return
	}
	if m.suspended {
		s.expect(t, ref, map[string]string{"Ready": "Unknown", "InstanceSynced": "Unknown Suspended"})
		return
	}
	s.eventually(t, func() error {
		if (s.read(t, notes) != nil) != m.notes {
			return fmt.Errorf("notes of %s: want %v", name, m.notes)
		}
		o, d := s.read(t, ref), s.read(t, web)
		if svc := s.read(t, service); svc == nil || d == nil {
			return errors.New("a resource of " + name + " is missing")
		} else if selector, _, _ := unstructured.NestedString(svc.Object, "spec", "selector", "app"); selector != name {
			return fmt.Errorf("the Service selects %q", selector)
		}
		if n, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas"); n != m.replicas {
			return fmt.Errorf("%s has %d replicas, want %d", name, n, m.replicas)
		}
		want := "Unknown"
		if current(d) {
			want = "True"
		}
		if m.outcome == "ready" && want != "True" {
			return fmt.Errorf("the Deployment of %s is not there yet", name)
		}
		if c := find(o, "Ready"); c == nil || string(c.Status) != want || c.ObservedGeneration != o.GetGeneration() {
			return fmt.Errorf("%s is %v, want Ready=%s", name, c, want)
		}
		return nil
	})
}

// TestTwoReplicas: of two operators one works; when it goes the other goes on, and what was settled is not written again.
func TestTwoReplicas(t *testing.T) {
	s := start(t, "tristate", 0, func(*testing.T, *rest.Config) func() error { return func() error { return nil } })
	if err := s.api.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kro-system"}}); err != nil {
		t.Fatal(err)
	}
	var replicas [2]struct {
		counts counts
		stop   func() error
	}
	for i := range replicas {
		r := &replicas[i]
		config := rest.CopyConfig(s.config)
		config.Wrap(r.counts.wrap)
		o := options()
		o.LeaderElection, o.LeaderElectionID, o.LeaderElectionNamespace, o.LeaderElectionReleaseOnCancel = true, "tristate.kro.run", "kro-system", true
		o.LeaseDuration, o.RenewDeadline, o.RetryPeriod = ptr.To(30*time.Second), ptr.To(20*time.Second), ptr.To(time.Second)
		op, err := operator.New(config, operator.Options{Manager: o, Registry: prometheus.NewPedanticRegistry()})
		if err != nil {
			t.Fatal(err)
		}
		r.stop = background(func(ctx context.Context) error { return op.Start(ctx) })
		t.Cleanup(func() { _ = r.stop() })
	}
	chain := rgd(t, "chain", "Chain", fields, `- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-1"}, data: {a: b}}`)
	first, second := instance(t, "Chain", "first", ""), instance(t, "Chain", "second", "")
	s.create(t, chain)
	s.create(t, first)
	before := s.expect(t, first, map[string]string{"Ready": "True AllReady"})
	leader := 0
	if replicas[1].counts.writes.Load() > 0 {
		leader = 1
	}
	if n := replicas[1-leader].counts.writes.Load(); n > 0 {
		t.Errorf("the replica that waits made %d writes", n)
	}
	if err := replicas[leader].stop(); err != nil {
		t.Error(err)
	}
	s.create(t, second)
	s.expect(t, second, map[string]string{"Ready": "True AllReady"})
	if after := s.read(t, first); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("the other replica wrote a settled instance again")
	}
}

// number is a whole number of the environment.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
