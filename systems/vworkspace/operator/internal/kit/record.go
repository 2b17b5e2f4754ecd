// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Limits of a record.
const (
	recordLength     = transition.Length
	recordMaxMessage = 256
)

// record returns the record of transitions with the changes from one list of conditions to the next: a status or reason that is
// another, a condition that comes, and one that is removed. A change of the message alone is no transition. The stored record is
// returned as it is where nothing changed. It has the last transitions; their sequence numbers show whether one was dropped before
// it was reported. They go on after the last one that the agent has, also where the stored record was removed or replaced.
func record(stored []transition.Transition, last int64, before []metav1.Condition, after []conditions.Condition,
	generation int64, now time.Time) []transition.Transition {
	out := stored
	sequence := last
	if n := len(stored); n > 0 {
		sequence = max(sequence, stored[n-1].Sequence)
	}
	add := func(t transition.Transition) {
		sequence++
		t.Sequence, t.Generation, t.Time = sequence, generation, metav1.Time{Time: now.UTC().Truncate(time.Second)}
		out = append(out[:len(out):len(out)], t)
	}
	for _, c := range after {
		if was := meta.FindStatusCondition(before, c.Type); was != nil && was.Status == c.Status && was.Reason == c.Reason {
			continue
		}
		add(transition.Transition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: wire.CutMessage(c.Message, recordMaxMessage)})
	}
	for _, c := range before {
		if conditions.Find(after, c.Type) < 0 {
			add(transition.Transition{Type: c.Type})
		}
	}
	return out[max(0, len(out)-recordLength):]
}
