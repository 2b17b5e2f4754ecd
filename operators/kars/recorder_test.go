// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditionstest"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience bounds every wait.
const patience = 3 * time.Minute

var discard = log.New(io.Discard, "", 0)

// plurals are the resources of the kinds.
var plurals = map[string]string{"karssandboxes": "KarsSandbox", "a2aagents": "A2AAgent", "mcpservers": "McpServer", "toolpolicies": "ToolPolicy",
	"inferencepolicies": "InferencePolicy", "karsmemories": "KarsMemory", "karsevals": "KarsEval", "trustgraphs": "TrustGraph", "egressapprovals": "EgressApproval"}

// recorder has every status that an object ever had: a watch misses none.
type recorder struct {
	mu     sync.Mutex
	more   chan struct{} // closed and replaced with every revision
	states map[string][]state
	cursor map[string]int
}

// state is a revision of an object: its cells as "Type=Status Reason"; none once it is deleted.
type state struct {
	cells   []string
	list    []conditions.Condition
	deleted bool
}

func record(ctx context.Context, t *testing.T, config *rest.Config) *recorder {
	t.Helper()
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{more: make(chan struct{}), states: map[string][]state{}, cursor: map[string]int{}}
	for plural, kind := range plurals {
		resource := dynamicClient.Resource(api.GroupVersion.WithResource(plural))
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		events, err := resource.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for e := range events.ResultChan() {
				if o, ok := e.Object.(*unstructured.Unstructured); ok {
					r.add(kind, o, e.Type == watch.Deleted)
				}
			}
		}()
	}
	return r
}

func (r *recorder) add(kind string, o *unstructured.Unstructured, deleted bool) {
	raw, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	list, _ := conditions.FromUnstructured(raw)
	s := state{deleted: deleted}
	if !deleted {
		s.list = list
	}
	for _, c := range s.list {
		s.cells = append(s.cells, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := kind + " " + o.GetNamespace() + "/" + o.GetName()
	r.states[key] = append(r.states[key], s)
	close(r.more)
	r.more = make(chan struct{})
}

// reach waits until an object has all cells at a time; it looks from where the last call found what it wanted. A cell with ! in front is one
// that the object does not have.
func (r *recorder) reach(t *testing.T, o client.Object, cells ...string) {
	t.Helper()
	key := kindOf(o) + " " + o.GetNamespace() + "/" + o.GetName()
	timeout := time.After(patience)
	for {
		r.mu.Lock()
		states, from, more := r.states[key], r.cursor[key], r.more
		for i := from; i < len(states); i++ {
			if !slices.ContainsFunc(cells, func(c string) bool { return !states[i].has(c) }) {
				r.cursor[key] = i
				r.mu.Unlock()
				return
			}
		}
		r.mu.Unlock()
		select {
		case <-more:
		case <-timeout:
			var b strings.Builder
			for _, s := range states[min(from, len(states)):] {
				fmt.Fprintln(&b, " ", strings.Join(s.cells, ", "))
				for _, c := range s.list {
					if c.Message != "" {
						fmt.Fprintf(&b, "      %s: %s\n", c.Type, c.Message)
					}
				}
			}
			t.Fatalf("%s never had %v; it had\n%s", key, cells, b.String())
		}
	}
}

func (s state) has(cell string) bool {
	if absent, ok := strings.CutPrefix(cell, "!"); ok {
		return !slices.ContainsFunc(s.cells, func(c string) bool { return c == absent || strings.HasPrefix(c, absent+"=") })
	}
	return slices.Contains(s.cells, cell)
}

// count is how many revisions of each object there were.
func (r *recorder) count() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for key, states := range r.states {
		out[key] = len(states)
	}
	return out
}

// kindOf is the kind of a typed object.
func kindOf(o client.Object) string {
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// report feeds a coverage with everything that was seen, and returns the cells that were left again as "Kind Type=Status Reason".
func (r *recorder) report(coverage *conditionstest.Coverage) (left map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left = map[string]bool{}
	for key, states := range r.states {
		name, _, _ := strings.Cut(key, " ")
		had := map[string]bool{}
		for _, s := range states {
			for _, kind := range coverage.Kinds {
				if kind.Kind == name {
					coverage.Observe(kind, s.list)
				}
			}
			for c := range had {
				if !slices.Contains(s.cells, c) {
					left[name+" "+c] = true
				}
			}
			for _, c := range s.cells {
				had[c] = true
			}
		}
	}
	return left
}

// condition is a condition of an object as it is now.
func (w *world) condition(t *testing.T, o client.Object, conditionType string) *metav1.Condition {
	t.Helper()
	if err := w.api.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	return meta.FindStatusCondition(o.(interface{ GetConditions() []metav1.Condition }).GetConditions(), conditionType)
}
