// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"iter"
	"sync"
)

// AggregateSeq is [Aggregate] for fleets: of healthy inputs only their number is kept (in dialect capi-v1beta2 also their messages), so
// that no list of all of them is needed. O(1) memory for each healthy input and O(n log n) time in the unhealthy ones; O(n) time without
// causes, where all objects are of one kind and their texts differ. An input is read before yield returns, so that one may serve for all; a
// condition must not be changed afterwards, because the causes of the result refer to it.
//
//	merged, ok := conditions.AggregateSeq(func(yield func(*conditions.Input) bool) {
//		in := conditions.Input{Type: "Ready"}
//		for _, machine := range machines {
//			in.Object, in.Condition = ref(machine), ready(machine)
//			if !yield(&in) {
//				return
//			}
//		}
//	}, options)
func AggregateSeq(inputs iter.Seq[*Input], o MergeOptions) (Merged, bool) {
	m := mergers.Get().(*merger)
	m.start(&o, &o.Target, true, true)
	inputs(func(in *Input) bool {
		if m.onlyCounted(in) {
			m.healthy++
		} else {
			m.add(in)
		}
		return true
	})
	m.addHealthy(m.healthy)
	merged, ok := m.finish()
	m.release()
	mergers.Put(m)
	return merged, ok
}

// mergers keeps memory for reuse and no state.
var mergers = sync.Pool{New: func() any { return new(merger) }}
