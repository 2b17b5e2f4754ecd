// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// Limits of the buffer.
const (
	Capacity = 1000
	Batch    = 100
	MaxBytes = 512 << 10 // of the events as JSON: the journal, which has them, is a ConfigMap of at most a mebibyte
)

// Buffer holds events that were not delivered yet, oldest first. If it is full, by number or by size, the namespace that has the most drops
// its oldest: one that makes many events drops no event of others. It may be used by many goroutines.
//
//	Dropped   counts the events that were dropped since the buffer was last empty
//	Drained   is true once the buffer was empty after a drop
type Buffer struct {
	Capacity int // 0: Capacity

	mu      sync.Mutex
	events  []held
	bytes   int // of the events
	dropped int64
	drained bool
	total   int64 // dropped, ever
}

// held is an event with its length as JSON.
type held struct {
	Event
	bytes int
}

// State is a buffer as it is stored.
type State struct {
	Events  []Event `json:"events,omitempty"`
	Dropped int64   `json:"dropped,omitempty"`
	Drained bool    `json:"drained,omitempty"`
	Total   int64   `json:"total,omitempty"`
}

// Add appends events; it returns how many were dropped for them.
func (b *Buffer) Add(events ...Event) (dropped int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range events {
		data, _ := json.Marshal(e) // of strings, numbers and times, which have no errors
		b.events = append(b.events, held{e, len(data) + 1})
		b.bytes += len(data) + 1
	}
	for ; len(b.events) > b.limit(); dropped++ {
		b.drop(func(held) int { return 1 })
	}
	for ; b.bytes > MaxBytes; dropped++ {
		b.drop(func(e held) int { return e.bytes })
	}
	if dropped > 0 {
		b.lost(dropped)
	}
	return dropped
}

// drop removes the oldest event of the namespace whose events weigh the most; of several with that weight the one with the oldest event.
func (b *Buffer) drop(weight func(held) int) {
	weights := map[string]int{}
	for _, e := range b.events {
		weights[e.namespace()] += weight(e)
	}
	heaviest := slices.Max(slices.Collect(maps.Values(weights)))
	at := slices.IndexFunc(b.events, func(e held) bool { return weights[e.namespace()] == heaviest })
	b.remove(at, at+1)
}

// namespace returns the namespace that an event is about; empty: none.
func (e held) namespace() string {
	if e.ResourceRef == nil {
		return ""
	}
	return e.ResourceRef.Namespace
}

// remove removes the events from one index up to another.
func (b *Buffer) remove(from, to int) {
	for _, e := range b.events[from:to] {
		b.bytes -= e.bytes
	}
	b.events = slices.Delete(b.events, from, to)
}

func (b *Buffer) limit() int {
	if b.Capacity > 0 {
		return b.Capacity
	}
	return Capacity
}

// Crowded reports whether events should be sent at once: there is a batch of them, or the buffer is half full.
func (b *Buffer) Crowded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events) >= min(Batch, max(b.limit()/2, 1))
}

// Lost counts events that were dropped before they reached the buffer.
func (b *Buffer) Lost(n int) {
	if n > 0 {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lost(n)
	}
}

func (b *Buffer) lost(n int) {
	b.dropped += int64(n)
	b.total += int64(n)
	b.drained = false
}

// Next returns the oldest events, at most [Batch]. They stay in the buffer.
func (b *Buffer) Next() []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.list(Batch)
}

// list returns the oldest events, at most n.
func (b *Buffer) list(n int) []Event {
	out := make([]Event, min(n, len(b.events)))
	for i := range out {
		out[i] = b.events[i].Event
	}
	return out
}

// Delivered removes events that Next returned, of which some may have been dropped meanwhile. It reports whether the buffer is drained
// after an overflow by this.
func (b *Buffer) Delivered(sent []Event) (drained bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	type identity struct {
		key      string
		sequence int64
	}
	of := map[identity]bool{}
	for _, e := range sent {
		of[identity{e.EventKey, e.Sequence}] = true
	}
	n := 0 // the remaining ones are at the front
	for n < len(b.events) && of[identity{b.events[n].EventKey, b.events[n].Sequence}] {
		n++
	}
	b.remove(0, n)
	if len(b.events) > 0 || b.dropped == 0 {
		return false
	}
	b.dropped, b.drained = 0, true
	return true
}

// Len returns the number of events.
func (b *Buffer) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.events)
}

// State returns the state to be stored.
func (b *Buffer) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return State{Events: b.list(len(b.events)), Dropped: b.dropped, Drained: b.drained, Total: b.total}
}

// Restore puts a stored state in front of the events that were added meanwhile.
func (b *Buffer) Restore(s State) {
	b.mu.Lock()
	added := b.list(len(b.events))
	b.events, b.bytes, b.dropped, b.drained, b.total = nil, 0, s.Dropped, s.Drained, s.Total
	b.mu.Unlock()
	b.Add(append(slices.Clone(s.Events), added...)...)
}
