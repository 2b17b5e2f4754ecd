// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// journal has the counts of dropped events in the operator's journal: ever, and since the buffer was last empty.
type journal struct {
	Buffer struct {
		Events  []json.RawMessage `json:"events"`
		Dropped int               `json:"dropped"`
		Total   int               `json:"total"`
	} `json:"buffer"`
	text []byte
}

func (w *vworkspace) journal(t *testing.T) (j journal) {
	t.Helper()
	var m corev1.ConfigMap
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: system, Name: agent.JournalName}, &m); err != nil {
		return j // there is none before the first transition
	}
	for _, text := range m.Data {
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			t.Fatal(err)
		}
		j.text = []byte(text)
	}
	return j
}

// events compares the transitions that were stored, as the watches saw them, with the events at the control plane: each once, in the order
// of its object, and none is missing that was not counted. It returns the differences.
func (o *oracle) events(t *testing.T) string {
	t.Helper()
	stored := o.Seen.Transitions()
	received := map[types.UID][]agent.Event{}
	rotated := 0
	for _, e := range o.plane.Received() {
		if e.Kind == agent.ConditionTransition {
			received[types.UID(e.ResourceRef.UID)] = append(received[types.UID(e.ResourceRef.UID)], e)
		} else {
			rotated++
		}
	}
	all, arrived := 0, 0
	for uid, writes := range stored {
		var flat []int // the write of each transition
		for i, cells := range writes {
			for range cells {
				flat = append(flat, i)
			}
		}
		all += len(flat)
		arrived += len(received[uid])
		last, seen := int64(0), map[int][]string{}
		for _, e := range received[uid] {
			if e.Sequence <= last || int(e.Sequence) > len(flat) {
				return fmt.Sprintf("transition %d of %s %s arrived after %d, of %d", e.Sequence, e.ResourceRef.Kind, e.ResourceRef.Name, last,
					len(flat))
			}
			last = e.Sequence
			c, write := e.Conditions[0], flat[e.Sequence-1]
			cell := fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)
			if c.Status == "" {
				cell = "!" + c.Type
			}
			if !slices.Contains(writes[write], cell) || slices.Contains(seen[write], cell) {
				return fmt.Sprintf("event %d of %s %s is %s, the write had %v", e.Sequence, e.ResourceRef.Kind, e.ResourceRef.Name, cell, writes[write])
			}
			seen[write] = append(seen[write], cell)
		}
	}
	j := o.journal(t)
	missing := all - arrived
	o.reported, o.dropped = arrived, j.Buffer.Total
	o.overflowed, o.drained = o.overflowed || j.Buffer.Total > 0, j.Buffer.Dropped == 0
	// Rotations of the credential are events as well; one of them may be among those that were dropped.
	rotations := o.plane.Requests(controlplane.Rotate)
	if o.trouble != "" {
		if left := missing - j.Buffer.Total; left > o.options.BufferCapacity || missing < 0 {
			return fmt.Sprintf("%d transitions are neither delivered nor dropped, more than the buffer of %d takes", left, o.options.BufferCapacity)
		}
		return ""
	}
	if missing > j.Buffer.Total || missing < j.Buffer.Total-rotations {
		return fmt.Sprintf("%d of %d transitions have not arrived, %d were counted as dropped", missing, all, j.Buffer.Total)
	}
	return ""
}
