// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"slices"
	"sync"
)

// Limits of the buffer.
const (
	Capacity = 1000
	Batch    = 100
	MaxBytes = 512 << 10 // of the events as JSON: the journal, which has them, is a ConfigMap of at most a mebibyte
)

// Buffer holds events that were not delivered yet, oldest first. If it is full, by number or by size, the oldest events are dropped. It may
// be used by many goroutines.
//
//	Dropped   counts the events that were dropped since the buffer was last empty
//	Drained   is true once the buffer was empty after a drop
type Buffer struct {
	Capacity int // 0: Capacity

	mu      sync.Mutex
	events  []Event
	bytes   int // of the events
	dropped int64
	drained bool
	total   int64 // dropped, ever
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
	b.events = append(b.events, events...)
	b.bytes += size(events)
	for left := b.bytes; len(b.events)-dropped > b.limit() || left > MaxBytes; dropped++ {
		left -= size(b.events[dropped : dropped+1])
	}
	if dropped > 0 {
		b.remove(dropped)
		b.lost(dropped)
	}
	return dropped
}

// remove removes the n oldest events.
func (b *Buffer) remove(n int) {
	b.bytes -= size(b.events[:n])
	b.events = slices.Delete(b.events, 0, n)
}

// size returns the length of events as JSON.
func size(events []Event) (bytes int) {
	for _, e := range events {
		data, _ := json.Marshal(e) // of strings, numbers and times, which have no errors
		bytes += len(data) + 1
	}
	return bytes
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
	return slices.Clone(b.events[:min(Batch, len(b.events))])
}

// Delivered removes events that Next returned, of which some may have been dropped meanwhile. It reports whether the buffer is drained
// after an overflow by this.
func (b *Buffer) Delivered(sent []Event) (drained bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// The remaining ones are at the front, up to the last one.
	for i := min(len(sent), len(b.events)) - 1; i >= 0; i-- {
		if last := sent[len(sent)-1]; b.events[i].EventKey == last.EventKey && b.events[i].Sequence == last.Sequence {
			b.remove(i + 1)
			break
		}
	}
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
	return State{Events: slices.Clone(b.events), Dropped: b.dropped, Drained: b.drained, Total: b.total}
}

// Restore puts a stored state in front of the events that were added meanwhile.
func (b *Buffer) Restore(s State) {
	b.mu.Lock()
	added := b.events
	b.events, b.dropped, b.drained, b.total = slices.Clone(s.Events), s.Dropped, s.Drained, s.Total
	b.bytes = size(b.events)
	b.mu.Unlock()
	b.Add(added...)
}
