// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/write/probe"
	"k8s.io/client-go/rest"
)

// TestOnceEach: a cold start over settled clusters makes one pass over each object and writes nothing, in whatever order the API server
// answers: each list, and discovery, comes after a pause of its own.
func TestOnceEach(t *testing.T) {
	t.Parallel()
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	s := newLister(t, 6)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			pause := pauses(seed)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				pause(parse(r))
				s.serve(w, r)
			}))
			t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
			o := controller.Options{Config: &rest.Config{Host: server.URL}, Catalogs: given(s.set), Workers: 1 + int(seed)%5}
			for _, k := range s.set.Kinds() {
				if len(k.Derivations) > 0 {
					o.Manage = append(o.Manage, k.For)
				}
			}
			c, err := controller.New(o)
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), patience)
			ended := make(chan error, 1)
			p := probe.New()
			go func() { ended <- c.Run(p.With(ctx)) }()
			for n := 0; n < s.objects; n = p.Stats().Objects { // a kind that only objects refer to is watched later
				if err := p.Idle(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Idle(ctx); err != nil {
				t.Fatal(err)
			}
			stop()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if n := p.Stats().Passes; n != s.objects {
				t.Errorf("%d passes over %d objects", n, s.objects)
			}
			if n := p.Stats().Writes; n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
}

// pauses lets each resource wait for its turn, in an order that the seed makes. Some share a turn.
func pauses(seed uint64) func(request) {
	return func(asked request) {
		h := fnv.New64a()
		fmt.Fprint(h, asked.group, asked.resource)
		time.Sleep(time.Duration(rand.New(rand.NewPCG(seed, h.Sum64())).IntN(8)) * 20 * time.Millisecond) // answers come in an order of their own
	}
}
