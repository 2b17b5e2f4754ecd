// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/metrics"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bill is what a program needed for a number of instances.
type bill struct {
	time, definitions    time.Duration
	writes, status, all  int64 // until everything is settled: writes, those of a status, all requests
	again                int64 // status requests that repeat the one before
	passes               int64 // over instances
	idle                 int64 // writes within a while in which nothing happens
	informers, processor int64 // in the end; seconds of this process
	memory               int64 // MiB of heap in use, in the end
}

// TestScale: definitions and instances of three resources settle, with one status request for each change, and nothing is written
// afterwards. KRO_DEFINITIONS and KRO_INSTANCES are their numbers: make scale in this folder runs 200 and 5,000, and kro 0.9.4 beside
// it. KRO_QPS is the limit of requests a second of both programs; without it they have the 100 that kro has by default. Processor and
// memory are those of the process: next to other tests they say nothing.
func TestScale(t *testing.T) {
	t.Parallel()
	definitions, instances := number(t, "KRO_DEFINITIONS", 4), number(t, "KRO_INSTANCES", 40)
	qps := float32(number(t, "KRO_QPS", 0))
	mine := measure(t, "tristate", definitions, instances, configured(operator.Options{QPS: qps}))
	t.Logf("%d definitions, %d instances of 3 resources: %s", definitions, instances, mine)
	if mine.idle > 0 {
		t.Errorf("%d writes while nothing happens", mine.idle)
	}
	if mine.again > 0 {
		t.Errorf("%d status requests change nothing", mine.again)
	}
	if mine.status > mine.passes {
		t.Errorf("%d status requests in %d passes", mine.status, mine.passes)
	}
	// A chain of resources is applied in one pass. One more status is for an instance whose pass met the API server before it served
	// something.
	if mine.status > int64(2*instances) {
		t.Errorf("%d status requests for %d instances", mine.status, instances)
	}
	if number(t, "KRO_BESIDE", 0) == 0 {
		return
	}
	theirs := measure(t, "kro", definitions, instances, upstream(4, qps))
	t.Logf("kro 0.9.4: %s", theirs)
	ratio := func(a, b int64) float64 { return float64(a) / float64(max(b, 1)) }
	t.Logf("Tristate to kro: definitions %.2f, time %.2f, writes %.2f, status requests %.2f, requests %.2f, passes %.2f, processor %.2f, memory %.2f",
		ratio(int64(mine.definitions), int64(theirs.definitions)), ratio(int64(mine.time), int64(theirs.time)), ratio(mine.writes, theirs.writes),
		ratio(mine.status, theirs.status), ratio(mine.all, theirs.all), ratio(mine.passes, theirs.passes),
		ratio(mine.processor, theirs.processor), ratio(mine.memory, theirs.memory))
}

func (b bill) String() string {
	return fmt.Sprintf("definitions accepted in %s, instances ready in %s; %d writes, %d of them of a status (%d repeat the one before), %d requests, %d passes; "+
		"%d writes while nothing happens; %d informers, %d s of the processor, %d MiB of heap",
		b.definitions.Round(100*time.Millisecond), b.time.Round(100*time.Millisecond), b.writes, b.status, b.again, b.all, b.passes, b.idle,
		b.informers, b.processor, b.memory)
}

// total is the sum of the values of a metric of kro's dynamic controller, which both programs use: those of the kinds of this test, and
// those of no kind.
func total(t *testing.T, c prometheus.Collector) int64 {
	t.Helper()
	r := prometheus.NewRegistry()
	r.MustRegister(c)
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if labels := m.GetLabel(); len(labels) > 0 && !strings.Contains(labels[0].GetValue(), "/scale") {
				continue
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return int64(sum)
}

// processor is the time that this process had of the processors, in seconds: that of the program and of the test, which only lists.
func processor(t *testing.T) int64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return u.Utime.Sec + u.Stime.Sec
}

// measure brings up everything on one side.
func measure(t *testing.T, name string, definitions, instances int, run runner) bill {
	t.Helper()
	var out bill
	t.Run(name, func(t *testing.T) {
		s := start(t, name, 0, run)
		used, passes := processor(t), total(t, metrics.DynReconcileTotal)
		started := time.Now()
		var all []*unstructured.Unstructured
		for i := range definitions {
			all = append(all, rgd(t, fmt.Sprintf("scale-%03d", i), fmt.Sprintf("Scale%03d", i), fields, `
- id: first
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-1"}, data: {a: "${schema.spec.outcome}"}}
- id: second
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-2"}, data: {a: "${first.metadata.name}"}}
- id: third
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-3"}, data: {a: "${second.metadata.name}"}}`))
		}
		s.grantKinds(t, all...)
		makes(all...)(t, s)
		for _, o := range all {
			s.settled(t, o.GetKind(), 1, func() ([]unstructured.Unstructured, error) {
				if u := s.read(t, o); u != nil {
					return []unstructured.Unstructured{*u}, nil
				}
				return nil, nil
			})
		}
		out.definitions = time.Since(started)
		t.Logf("%s: definitions accepted in %s", name, out.definitions.Round(100*time.Millisecond))
		started = time.Now()
		w, s1, r := s.counts.writes.Load(), s.counts.status.Load(), s.counts.reads.Load()
		var group errgroup.Group
		group.SetLimit(8)
		for i := range instances {
			o := instance(t, fmt.Sprintf("Scale%03d", i%definitions), fmt.Sprintf("i%05d", i), "")
			group.Go(func() error { return s.API.Create(t.Context(), o) })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		for i := range definitions {
			list := &unstructured.UnstructuredList{}
			list.SetAPIVersion("kro.run/v1alpha1")
			list.SetKind(fmt.Sprintf("Scale%03dList", i))
			want := instances / definitions
			if i < instances%definitions {
				want++
			}
			s.settled(t, list.GetKind(), want, func() ([]unstructured.Unstructured, error) {
				err := s.API.List(t.Context(), list, client.InNamespace("default"))
				return list.Items, err
			})
		}
		out.time = time.Since(started)
		s.quiet(t)
		out.writes, out.status = s.counts.writes.Load()-w, s.counts.status.Load()-s1
		out.all = out.writes + s.counts.reads.Load() - r
		out.again, out.passes, out.processor = s.counts.again.Load(), total(t, metrics.DynReconcileTotal)-passes, processor(t)-used
		out.informers = total(t, metrics.DynWatchCount)
		w = s.counts.writes.Load()
		time.Sleep(10 * time.Second) // the measurement
		out.idle = s.counts.writes.Load() - w
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		out.memory = int64(m.HeapInuse >> 20)
		if file := os.Getenv("KRO_HEAP"); file != "" {
			if f, err := os.Create(file + "-" + name); err == nil {
				_ = pprof.WriteHeapProfile(f)
				f.Close()
			}
		}
	})
	return out
}

// settled waits until so many objects are ready.
func (s *side) settled(t *testing.T, kind string, want int, list func() ([]unstructured.Unstructured, error)) {
	t.Helper()
	for end := time.Now().Add(30 * time.Minute); ; time.Sleep(250 * time.Millisecond) {
		items, err := list()
		ready := 0
		for i := range items {
			if c := find(&items[i], "Ready"); c != nil && c.Status == "True" {
				ready++
			}
		}
		if ready == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %d of %d of %s are ready (%v)", s.name, ready, want, kind, err)
		}
	}
}

// quiet waits until no request was made for a while.
func (s *side) quiet(t *testing.T) {
	t.Helper()
	last, since := int64(-1), time.Now()
	s.eventually(t, func() error {
		if n := s.counts.writes.Load(); n != last {
			last, since = n, time.Now()
		}
		if time.Since(since) < 5*time.Second { // a measurement
			return fmt.Errorf("it still writes")
		}
		return nil
	})
}
