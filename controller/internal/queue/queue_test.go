// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	testclock "k8s.io/utils/clock/testing"
)

func id(name string) relation.ID { return relation.ID{Name: name} }

// rankOf reads the rank from the first letter: a is 0, b is 1.
func rankOf(id relation.ID) int { return int(id.Name[0] - 'a') }

func newTestQueue() (*Queue, *testclock.FakeClock) {
	c := testclock.NewFakeClock(time.Unix(1000, 0))
	return New(c, rankOf), c
}

// take expects an object to be handed out, or with "" none to be.
func take(t *testing.T, q *Queue, want string) {
	t.Helper()
	got, _ := q.TryGet()
	if got.Name != want {
		t.Fatalf("handed out %q, want %q", got.Name, want)
	}
}

func TestQueue_lowerRanksFirst(t *testing.T) {
	q, _ := newTestQueue()
	q.Add(id("b1"), id("a1"), id("a2"), id("a1"))
	take(t, q, "a1")
	take(t, q, "a2")
	take(t, q, "") // b1 waits for a1 and a2, which are being judged
	q.Done(id("a1"))
	take(t, q, "")
	q.Done(id("a2"))
	take(t, q, "b1")
	q.Done(id("b1"))
	if !q.Idle() {
		t.Error("not idle at the end")
	}
}

func TestQueue_holdsNotForEver(t *testing.T) {
	q, clock := newTestQueue()
	q.Add(id("a1"), id("b1"))
	take(t, q, "a1")
	take(t, q, "")
	clock.Step(holdLimit)
	take(t, q, "b1")
}

func TestQueue_oneWorkerPerObject(t *testing.T) {
	q, _ := newTestQueue()
	q.Add(id("a1"))
	take(t, q, "a1")
	q.Add(id("a1"))
	take(t, q, "")
	q.Done(id("a1"))
	take(t, q, "a1")
}

func TestQueue_laterAndRetry(t *testing.T) {
	q, clock := newTestQueue()
	q.AddAt(id("a1"), clock.Now().Add(time.Minute))
	q.AddAt(id("a1"), clock.Now().Add(2*time.Minute)) // the first counts
	if !q.Idle() {
		t.Error("an object that waits for its time keeps the queue busy")
	}
	clock.Step(time.Minute)
	waitFor(t, func() bool { return q.Length() == 1 })
	take(t, q, "a1")
	q.Retry(id("a1"), time.Minute)
	q.Done(id("a1"))
	if q.Idle() {
		t.Error("idle although a retry is due")
	}
	clock.Step(99 * time.Millisecond)
	if q.Length() != 0 {
		t.Error("retried too early")
	}
	clock.Step(time.Millisecond)
	waitFor(t, func() bool { return q.Length() == 1 })
	take(t, q, "a1")
	q.Forget(id("a1"))
	q.Done(id("a1"))
	q.Drop(id("a1"))
	if !q.Idle() {
		t.Error("not idle after success")
	}
}

// waitFor waits for what another goroutine of the fake clock does.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 10000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("never happened")
}

// TestQueue_concurrent: what becomes dirty is judged after it became dirty, never by two workers at a time, and the queue ends idle.
func TestQueue_concurrent(t *testing.T) {
	c := testclock.NewFakeClock(time.Unix(1000, 0))
	q := New(c, rankOf)
	q.hold = 0
	var mu sync.Mutex
	version, seen, busy := map[string]int{}, map[string]int{}, map[string]bool{}
	ctx, cancel := context.WithCancel(context.Background())
	var workers, writers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for {
				i, ok := q.Get(ctx)
				if !ok {
					return
				}
				mu.Lock()
				if busy[i.Name] {
					t.Errorf("%s is judged by two workers", i.Name)
				}
				busy[i.Name] = true
				at := version[i.Name]
				mu.Unlock()
				mu.Lock()
				seen[i.Name], busy[i.Name] = at, false
				mu.Unlock()
				q.Done(i)
			}
		})
	}
	for w := range 3 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for range 2000 {
				name := fmt.Sprintf("%c%d", 'a'+r.IntN(3), r.IntN(10))
				mu.Lock()
				version[name]++
				mu.Unlock()
				q.Add(id(name))
			}
		})
	}
	writers.Wait()
	waitFor(t, q.Idle)
	cancel()
	q.Close()
	workers.Wait()
	for name, v := range version {
		if seen[name] != v {
			t.Errorf("%s: last judged at version %d of %d", name, seen[name], v)
		}
	}
}
