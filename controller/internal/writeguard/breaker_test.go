// SPDX-License-Identifier: Apache-2.0

package writeguard

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestBreakers_hour: whatever a rival does, and however soon, an object is written at most ten times in any hour.
func TestBreakers_hour(t *testing.T) {
	for name, after := range map[string]time.Duration{"at once": 0, "after ten minutes": 10 * time.Minute, "after an hour": time.Hour,
		"after 61 minutes": 61 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			b := NewBreakers()
			var writes []time.Time
			start := time.Unix(0, 0)
			var reverts time.Time
			for now := start; now.Before(start.Add(48 * time.Hour)); now = now.Add(time.Second) {
				if !reverts.IsZero() && now.Before(reverts) {
					continue
				}
				if !reverts.IsZero() {
					b.Saw(named("a"), "theirs", true, nil, "rival")
					reverts = time.Time{}
				}
				if until, _ := b.Ask(named("a"), now, 0); !until.IsZero() {
					continue
				}
				b.Begin(named("a"))
				b.End(named("a"), "ours", 0, now)
				writes, reverts = append(writes, now), now.Add(after+time.Second)
			}
			most := 0
			for i := range writes {
				n := 0
				for _, at := range writes[i:] {
					if at.Sub(writes[i]) < time.Hour {
						n++
					}
				}
				most = max(most, n)
			}
			if most > 10 || len(writes) < 20 {
				t.Errorf("%d writes in two days, %d in one hour", len(writes), most)
			}
		})
	}
}

// TestBreakers_failed: what a write that failed has done all the same is nobody else's change; something else in its place is.
func TestBreakers_failed(t *testing.T) {
	entry := func(reason string) []any {
		return []any{map[string]any{"type": "Ready", "status": "False", "reason": reason, "message": "",
			"lastTransitionTime": "2026-01-02T03:04:05Z"}}
	}
	own, _ := wire.FromUnstructured(entry("Cut"))
	b := NewBreakers()
	now := time.Unix(0, 0)
	for range 10 * FreeReverts { // an API server that does what it is asked to, and answers 500
		if until, _ := b.Ask(named("a"), now, 0); !until.IsZero() {
			t.Fatal("stopped by its own writes")
		}
		b.Begin(named("a"))
		b.Failed(named("a"), own)
		b.End(named("a"), "", 0, now)
		if !b.isOwn(named("a"), entry("Cut")) {
			t.Fatal("its own write is not known")
		}
	}
	if b.isOwn(named("a"), entry("Theirs")) || b.isOwn(named("a"), nil) || b.isOwn(named("b"), entry("Cut")) {
		t.Error("somebody else's write counts as its own")
	}
	if b.Settled(named("a"), now); b.isOwn(named("a"), entry("Cut")) {
		t.Error("a write of long ago counts still")
	}
}

// TestBreakers_circle: an object that is written in answer to the controller's own writes again and again is stopped; one that is written
// once for each foreign change, however deep below it that is, never.
func TestBreakers_circle(t *testing.T) {
	now := time.Unix(0, 0)
	write := func(b *Breakers, hops int) bool {
		if until, _ := b.Ask(named("a"), now, hops); !until.IsZero() {
			return false
		}
		b.Begin(named("a"))
		b.End(named("a"), "ours", hops, now)
		return true
	}
	b := NewBreakers()
	n := 0
	for hops := 2; hops < 1000 && write(b, hops); hops += 3 {
		n++
	}
	if n == 0 || n > FreeRewrites+1 {
		t.Errorf("a circle was written %d times before it was stopped, want at most %d", n, FreeRewrites+1)
	}
	now = now.Add(firstPause)
	n = 0
	for hops := 0; hops < 1000 && write(b, hops); hops += 3 {
		n++
	}
	if n == 0 || n > 3 {
		t.Errorf("after the pause it was written %d times, want 1 to 3", n)
	}
	b = NewBreakers()
	for i := range 1000 {
		if !write(b, 4) || !write(b, 5) {
			t.Fatalf("an object above others was stopped after %d changes below it", i)
		}
	}
}

// TestBreakers_ownWrite: what is seen of an object while a write is under way is the write itself, unless the answer says otherwise.
func TestBreakers_ownWrite(t *testing.T) {
	b := NewBreakers()
	now := time.Unix(0, 0)
	for range 20 {
		if until, _ := b.Ask(named("a"), now, 0); !until.IsZero() {
			t.Fatal("stopped by its own writes")
		}
		b.Begin(named("a"))
		b.Saw(named("a"), "7", true, nil, "")
		b.End(named("a"), "7", 0, now)
	}
}

func named(name string) relation.ID { return relation.ID{Name: name} }
