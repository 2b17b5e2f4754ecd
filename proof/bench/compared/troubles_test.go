// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// trouble is something that happens to an operator; it returns what the operator did wrong, empty if nothing.
type trouble struct {
	name string
	run  func(*stage) string
}

var troubles = []trouble{
	{"no sandbox yet", func(s *stage) string {
		s.create("{tools: [saw]}")
		return s.has("Compiled=True ProfileStored", "Enforced=Unknown NoSandboxesReferencing", "Ready=Unknown")
	}},
	{"an edit that changes no condition is observed", func(s *stage) string {
		s.edit("{tools: [drill]}")
		return s.eventually(s.observed)
	}},
	{"a router is behind", func(s *stage) string {
		s.sandbox("old")
		return s.has("Compiled=True ProfileStored", "Enforced=False RouterOutdated", "Ready=False")
	}},
	{"Ready has the reason of what is wrong", func(s *stage) string { return s.has("Ready=False RouterOutdated") }},
	{"of two that are wrong Ready's message names both", func(s *stage) string {
		s.edit("{tools: []}")
		if problem := s.has("Compiled=False SpecInvalid", "Enforced=False RouterOutdated", "Ready=False"); problem != "" {
			return problem
		}
		message := s.condition("Ready")["message"]
		if text := fmt.Sprint(message); !strings.Contains(text, "spec.tools is empty") || !strings.Contains(text, "routers are behind") {
			return fmt.Sprintf("%q", message)
		}
		return ""
	}},
	{"everything follows", func(s *stage) string {
		s.edit("{tools: [saw]}")
		s.sandbox(hash([]string{"saw"}))
		return s.has("Compiled=True ProfileStored", "Enforced=True RouterEnforcing", "Ready=True", "Degraded=")
	}},
	{"a tool that does not exist degrades, and is not in the way", func(s *stage) string {
		s.edit("{tools: [saw, awk]}")
		s.sandbox(hash([]string{"saw", "awk"}))
		return s.has("Enforced=True RouterEnforcing", "Degraded=True ToolUnknown", "Ready=True")
	}},
	{"an informational condition goes when it is over", func(s *stage) string {
		s.edit("{tools: [saw]}")
		s.sandbox(hash([]string{"saw"}))
		return s.has("Degraded=", "Ready=True")
	}},
	{"a condition of another writer stays", func(s *stage) string {
		s.foreign("Audited")
		s.sandbox("old")
		if problem := s.has("Enforced=False RouterOutdated"); problem != "" {
			return problem
		}
		return s.has("Audited=True Theirs")
	}},
	{"... also one that is written while a write of the operator is on its way", func(s *stage) string {
		held := s.wire.hold()
		s.sandbox(hash([]string{"saw"}))
		select {
		case <-held:
		case <-time.After(patience):
			s.Fatal("there was no write")
		}
		s.foreign("Approved")
		s.wire.release()
		if problem := s.has("Enforced=True RouterEnforcing"); problem != "" {
			return problem
		}
		return s.has("Approved=True Theirs", "Audited=True Theirs")
	}},
	{"a condition edited by hand is corrected", func(s *stage) string {
		s.byHand("Ready", "False")
		return s.has("Ready=True")
	}},
	{"twenty events without news are no write", func(s *stage) string {
		const news = "RouterOutdated"
		s.wire.count(news)
		for i := range 20 {
			s.note(i)
		}
		s.sandbox("old") // after them, so all are over when it is written
		if problem := s.has("Enforced=False " + news); problem != "" {
			return problem
		}
		if n := s.wire.without.Load(); n > 0 {
			return fmt.Sprintf("%d writes", n)
		}
		return ""
	}},
	{"a reader sees that an edit was not looked at", func(s *stage) string {
		s.halt()
		s.edit("{tools: [drill]}")
		if s.observed() == "" {
			return "it looks current"
		}
		s.launch()
		return s.eventually(s.observed)
	}},
}

// stage is an operator with its objects: a policy and a sandbox, both named a.
type stage struct {
	*testing.T
	entry     entry
	config    *rest.Config
	namespace string
	wire      *wire
	client    dynamic.Interface
	halt      func()
	fails     bool // the page says that the operator fails at what happens now
}

func newStage(t *testing.T, config *rest.Config, e entry, namespace string) *stage {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{T: t, entry: e, config: config, namespace: namespace, wire: &wire{}, client: client}
}

func (s *stage) policies() dynamic.ResourceInterface {
	return s.client.Resource(schema.GroupVersionResource{Group: s.entry.group, Version: "v1", Resource: "toolpolicies"}).Namespace(s.namespace)
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) spec(text string) map[string]any {
	s.Helper()
	var out map[string]any
	s.must(yaml.Unmarshal([]byte(text), &out))
	return out
}

func (s *stage) create(spec string) {
	s.Helper()
	_, err := s.policies().Create(s.Context(), &unstructured.Unstructured{Object: map[string]any{"apiVersion": s.entry.group + "/v1", "kind": "ToolPolicy",
		"metadata": map[string]any{"name": "a"}, "spec": s.spec(spec)}}, metav1.CreateOptions{})
	s.must(err)
}

func (s *stage) get() *unstructured.Unstructured {
	s.Helper()
	o, err := s.policies().Get(s.Context(), "a", metav1.GetOptions{})
	s.must(err)
	return o
}

// change reads the policy, changes it, and writes it, again if somebody else was faster.
func (s *stage) change(subresource []string, f func(o *unstructured.Unstructured)) {
	s.Helper()
	for {
		o := s.get()
		f(o)
		_, err := s.policies().Update(s.Context(), o, metav1.UpdateOptions{FieldManager: "another"}, subresource...)
		if err == nil {
			return
		}
		if s.Context().Err() != nil || !strings.Contains(err.Error(), "modified") {
			s.Fatal(err)
		}
	}
}

func (s *stage) edit(spec string) {
	s.Helper()
	s.change(nil, func(o *unstructured.Unstructured) { o.Object["spec"] = s.spec(spec) })
}

// foreign adds a condition of another writer.
func (s *stage) foreign(name string) {
	s.Helper()
	s.change([]string{"status"}, func(o *unstructured.Unstructured) {
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		list = append(list, map[string]any{"type": name, "status": "True", "reason": "Theirs", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"})
		s.must(unstructured.SetNestedSlice(o.Object, list, "status", "conditions"))
	})
}

func (s *stage) byHand(name, status string) {
	s.Helper()
	s.change([]string{"status"}, func(o *unstructured.Unstructured) {
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, one := range list {
			if c := one.(map[string]any); c["type"] == name {
				c["status"] = status
			}
		}
		s.must(unstructured.SetNestedSlice(o.Object, list, "status", "conditions"))
	})
}

// sandbox makes the sandbox report a profile; a ConfigMap stands for it.
func (s *stage) sandbox(profile string) {
	s.Helper()
	s.apply(map[string]any{"profile": profile}, nil)
}

// note writes something into the sandbox that means nothing.
func (s *stage) note(i int) {
	s.Helper()
	s.apply(nil, map[string]any{"note": fmt.Sprint(i)})
}

func (s *stage) apply(data, annotations map[string]any) {
	s.Helper()
	o := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "labels": map[string]any{Label: "a"}}}
	manager := "sandbox"
	if data != nil {
		o["data"] = data
	}
	if annotations != nil {
		o["metadata"].(map[string]any)["annotations"], manager = annotations, "notes"
	}
	sandboxes := s.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(s.namespace)
	_, err := sandboxes.Apply(s.Context(), "a", &unstructured.Unstructured{Object: o}, metav1.ApplyOptions{FieldManager: manager, Force: true})
	s.must(err)
}

func (s *stage) conditions() []map[string]any {
	list, _, _ := unstructured.NestedSlice(s.get().Object, "status", "conditions")
	var out []map[string]any
	for _, one := range list {
		out = append(out, one.(map[string]any))
	}
	return out
}

func (s *stage) condition(name string) map[string]any {
	for _, c := range s.conditions() {
		if c["type"] == name {
			return c
		}
	}
	return nil
}

// has waits for cells, "Type=Status Reason" or "Type=Status"; "Type=" is an absent one.
func (s *stage) has(cells ...string) string {
	s.Helper()
	return s.eventually(func() string {
		for _, cell := range cells {
			name, want, _ := strings.Cut(cell, "=")
			c, got := s.condition(name), ""
			if c != nil {
				got = fmt.Sprint(c["status"])
				if strings.Contains(want, " ") {
					got += " " + fmt.Sprint(c["reason"])
				}
			}
			if got != want {
				return strings.TrimSpace(name + " is " + got)
			}
		}
		return ""
	})
}

// observed asks whether all conditions of the operator, or the status, are of the latest generation.
func (s *stage) observed() string {
	o := s.get()
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	whole, found, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
	for _, one := range list {
		c := one.(map[string]any)
		if !slices.Contains([]string{ready, compiled, enforced, degraded}, c["type"].(string)) {
			continue
		}
		if found {
			c["observedGeneration"] = whole
		}
		if c["observedGeneration"] != o.GetGeneration() {
			return fmt.Sprintf("%s is of another generation", c["type"])
		}
	}
	return ""
}

// settle is how long an operator that the page says fails has to ask for nothing before what it did counts.
const settle = 5 * time.Second

// eventually waits until a check finds nothing.
func (s *stage) eventually(check func() string) string {
	s.Helper()
	end := time.Now().Add(patience)
	for quiet, before := time.Now(), s.wire.asked(); ; time.Sleep(20 * time.Millisecond) {
		problem := check()
		if problem == "" {
			return ""
		}
		if now := s.wire.asked(); now != before {
			quiet, before = time.Now(), now
		}
		if s.fails && time.Since(quiet) > settle || time.Now().After(end) { // one that fails never gets there; it gets longer, not fewer, chances on a busy machine
			return problem
		}
	}
}

// wire counts what an operator asks of the API server, and can hold one write of the status.
type wire struct {
	requests atomic.Int64
	without  atomic.Int64 // the writes of a status since count without its reason
	reason   atomic.Pointer[string]
	next     atomic.Pointer[gate]
	now      *gate
}

type gate struct{ held, open chan struct{} }

// count counts the writes of a status that begin from now on and after which it does not have a reason.
func (w *wire) count(reason string) {
	w.reason.Store(&reason)
	w.without.Store(0)
}

func (w *wire) asked() int64 { return w.requests.Load() }

// hold makes the next write of a status wait for release, and returns a channel that is closed when it came.
func (w *wire) hold() <-chan struct{} {
	w.now = &gate{make(chan struct{}), make(chan struct{})}
	w.next.Store(w.now)
	return w.now.held
}

func (w *wire) release() { close(w.now.open) }

func (w *wire) through(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Get("watch") == "" {
				w.requests.Add(1)
			}
			status := strings.HasSuffix(r.URL.Path, "/status") && r.Method != http.MethodGet
			if g := w.next.Load(); status && g != nil && w.next.CompareAndSwap(g, nil) {
				close(g.held)
				<-g.open
			}
			reason := w.reason.Load() // before the request: the answer to an earlier write may come after count
			response, err := next.RoundTrip(r)
			if !status || reason == nil || err != nil || response.StatusCode >= http.StatusMultipleChoices { // one that is refused writes nothing
				return response, err
			}
			body, err := io.ReadAll(response.Body)
			if err = errors.Join(err, response.Body.Close()); err != nil {
				return nil, err
			}
			if !bytes.Contains(body, []byte(*reason)) {
				w.without.Add(1)
			}
			response.Body = io.NopCloser(bytes.NewReader(body))
			return response, nil
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
