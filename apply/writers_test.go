// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// contest is several writers on one object. Each owns some types and reports them from a copy of the object that may be old.
type contest struct {
	listMap bool
	writers int
	rounds  int
	// connect gives a writer's client; each write passes refuse, which may answer it with a conflict.
	connect func(t *testing.T, refuse func() bool) dynamic.Interface
	read    func(ctx context.Context) (metav1.Object, []conditions.Condition, error)
	target  func(k *conditions.Kind) apply.Target
	refused int // one in so many writes; 0: none
}

func (c contest) run(t *testing.T) {
	var all sync.WaitGroup
	last := make([]map[string]conditions.Status, c.writers)
	for w := range c.writers {
		all.Go(func() { last[w] = c.write(t, w) })
	}
	all.Wait()
	_, stored, err := c.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]conditions.Status{}, map[string]conditions.Status{}
	for _, one := range stored {
		got[one.Type] = one.Status
	}
	for w := range c.writers {
		maps.Copy(want, last[w])
	}
	diff(t, "every writer's last word", want, got)
}

// write is one writer: it gives its last word on each of its types.
func (c contest) write(t *testing.T, w int) map[string]conditions.Status {
	random := rand.New(rand.NewPCG(uint64(w), 7))
	k := kind(fmt.Sprintf("W%dA", w), fmt.Sprintf("W%dB", w), fmt.Sprintf("W%dC", w))
	for i := range k.Types {
		k.Types[i].Presence = conditions.PresenceAlways
	}
	var mu sync.Mutex
	conflicts := 0
	refuse := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if c.refused == 0 || random.IntN(c.refused) > 0 {
			return false
		}
		conflicts++
		return true
	}
	now := start
	status := &apply.Status{Target: c.target(k), Writer: &apply.Writer{Client: c.connect(t, refuse), Manager: fmt.Sprintf("writer-%d", w),
		Now: func() time.Time { return now }}}
	said, changes := map[string]conditions.Status{}, 0
	var object metav1.Object
	var stored []conditions.Condition
	for round := range c.rounds {
		if mu.Lock(); object == nil || random.IntN(3) == 0 {
			var err error
			if object, stored, err = c.read(t.Context()); err != nil {
				t.Error(err)
			}
		}
		next := map[string]conditions.Status{}
		for i := range k.Types {
			next[k.Types[i].Name] = []conditions.Status{conditions.True, conditions.False, conditions.Unknown}[random.IntN(3)]
		}
		mu.Unlock()
		if !maps.Equal(said, next) {
			changes++
		}
		for {
			now = start.Add(time.Duration(round) * time.Second)
			p := k.Begin(1, stored, now)
			for _, name := range slices.Sorted(maps.Keys(next)) {
				p.Report(name, next[name], reasons[next[name]], "")
			}
			err := status.Apply(t.Context(), object, p.Commit())
			var failed *apply.Error
			if errors.As(err, &failed) && failed.Conflict() {
				continue // as a reconciler would
			}
			if err != nil {
				t.Error(err)
			}
			break
		}
		said = next
		_, list, err := c.read(t.Context())
		if err != nil {
			t.Error(err)
		}
		for name, want := range said {
			if i := conditions.Find(list, name); i < 0 || list[i].Status != want {
				t.Errorf("round %d of writer %d: %s is %v, want %s", round, w, name, show(list), want)
			}
		}
	}
	if wrote, most := status.Writer.Writes(), changes+status.Writer.Conflicts(); wrote > most || c.listMap && c.refused == 0 &&
		wrote != changes {
		t.Errorf("writer %d: %d writes for %d changes and %d conflicts", w, wrote, changes, status.Writer.Conflicts())
	}
	return said
}

// refusing answers some writes with a conflict.
type refusing struct {
	refuse func() bool
	next   http.RoundTripper
}

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet && r.refuse() {
		return reply(http.StatusConflict, conflict("", "refused by the test"))
	}
	return r.next.RoundTrip(request)
}

func contests(t *testing.T, run func(t *testing.T, c contest)) {
	for _, writers := range []int{2, 4} {
		for _, listMap := range []bool{true, false} {
			for _, refused := range []int{0, 3} {
				t.Run(fmt.Sprintf("%d writers, map=%v, refused=%d", writers, listMap, refused), func(t *testing.T) {
					run(t, contest{writers: writers, listMap: listMap, refused: refused})
				})
			}
		}
	}
}

func TestWriters(t *testing.T) {
	contests(t, func(t *testing.T, c contest) {
		s := newServer()
		c.rounds = 60
		c.connect = func(t *testing.T, refuse func() bool) dynamic.Interface {
			client, err := dynamic.NewForConfig(&rest.Config{Host: "http://model", Transport: refusing{refuse, s}, QPS: -1})
			if err != nil {
				t.Fatal(err)
			}
			return client
		}
		c.read = func(context.Context) (metav1.Object, []conditions.Condition, error) {
			object, stored := s.read(t)
			return object, stored, nil
		}
		c.target = func(k *conditions.Kind) apply.Target { return target(k, c.listMap) }
		c.run(t)
	})
}

func TestLiveWriters(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	contests(t, func(t *testing.T, c contest) {
		kindName := "Lump"
		if c.listMap {
			kindName = "Thing"
		}
		client := s.client(t, &tally{})
		name := fmt.Sprintf("contest-%d-%d", c.writers, c.refused)
		s.create(t, client, kindName, name)
		c.rounds = 10
		c.connect = func(t *testing.T, refuse func() bool) dynamic.Interface {
			config := rest.CopyConfig(s.config)
			config.QPS = -1
			config.Wrap(func(next http.RoundTripper) http.RoundTripper { return refusing{refuse, next} })
			client, err := dynamic.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			return client
		}
		c.read = func(ctx context.Context) (metav1.Object, []conditions.Condition, error) {
			return s.get(ctx, client, kindName, name)
		}
		c.target = func(k *conditions.Kind) apply.Target { return s.target(kindName, k) }
		c.run(t)
	})
}
