// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestListOrder: the order in which the API server lists objects changes not a byte, nor does the number of workers.
func TestListOrder(t *testing.T) {
	t.Parallel()
	var got [4]string
	t.Run("derive", func(t *testing.T) {
		for seed := range got {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				got[seed] = newBench(t).derivedIn(uint64(seed))
			})
		}
	})
	for seed := range got {
		if diff := cmp.Diff(got[0], got[seed]); diff != "" {
			t.Errorf("with seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// derivedIn returns what is derived of the same widgets with lists shuffled; as they come with seed 0.
func (b *bench) derivedIn(seed uint64) string {
	b.define(listMap, "Rack", "Widget")
	b.create("Rack", "r", "{}")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		name := fmt.Sprintf("w%02d", i)
		b.create("Widget", name, "rack: r")
		if i%4 == 3 {
			continue // reports nothing
		}
		b.must(b.apply(b.patient(), "Widget", name, "Powered", []string{"True", "False", "Unknown"}[i%4],
			[]string{"PowerOn", "Cut", "NoMeter"}[i%4], fmt.Sprint("reading ", r.IntN(3))))
		b.must(b.apply(b.patient(), "Widget", name, "Cooled", []string{"True", "False"}[r.IntN(2)], "Hot", ""))
	}
	// The controller lists from the cache of the API server. What a lagging cache lacks would come by the watch, in no order to shuffle.
	latest, err := b.objects("Widget").List(b.patient(), metav1.ListOptions{})
	b.must(err)
	b.wait(func() error {
		_, err := b.objects("Widget").List(b.patient(), metav1.ListOptions{
			ResourceVersion: latest.GetResourceVersion(), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
		return err
	})
	var shuffled atomic.Bool
	w := &traffic{
		answer: func(r request) *http.Response {
			if r.streamed() {
				return refuse(r.Request, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
			}
			return nil
		},
		rewrite: func(r request, body []byte) []byte {
			if seed == 0 || r.verb != "list" || r.resource != "widgets" {
				return body
			}
			var list map[string]any
			if err := json.Unmarshal(body, &list); err != nil {
				b.Error(err)
			}
			items, _ := list["items"].([]any)
			rand.New(rand.NewPCG(seed, 3)).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			if len(items) > 1 {
				shuffled.Store(true)
			}
			out, err := json.Marshal(list)
			if err != nil {
				b.Error(err)
			}
			return out
		}}
	c := b.run(w.through, func(o *controller.Options) { o.Workers = 1 + int(seed) })
	b.wait(func() error {
		if n := c.Stats().Objects; n != 13 {
			return fmt.Errorf("%d objects", n)
		}
		return nil
	})
	c.quiet()
	if seed > 0 && !shuffled.Load() {
		b.Error("nothing was shuffled")
	}
	out := b.stored("Rack", "r")
	for i := range 12 {
		out += b.stored("Widget", fmt.Sprintf("w%02d", i))
	}
	return out
}

// stored returns the derived conditions of an object as JSON, without times.
func (b *bench) stored(kind, name string) string {
	b.Helper()
	o, err := b.objects(kind).Get(b.patient(), name, metav1.GetOptions{})
	b.must(err)
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, entry := range list {
		delete(entry.(map[string]any), "lastTransitionTime")
	}
	data, err := json.Marshal(list)
	b.must(err)
	return name + string(data) + "\n"
}
