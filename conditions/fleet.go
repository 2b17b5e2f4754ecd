// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"iter"
	"sync"
)

// AggregateSeq is [Aggregate] for fleets: of healthy inputs only their number is kept (in dialect capi-v1beta2 also their messages), so that
// no list of all of them is needed. O(1) memory for each healthy input and O(n log n) time in the unhealthy ones; O(n) time without causes,
// where all objects are of one kind and their texts differ. An input is read before yield returns, so that one may serve for all; a
// condition must stay unchanged until AggregateSeq returns.
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
	f := fleets.Get().(*fleet)
	f.m.start(&o, true, true)
	inputs(func(in *Input) bool {
		if f.m.onlyCounted(in) {
			f.healthy++
		} else {
			f.add(in)
		}
		return true
	})
	f.m.addHealthy(f.healthy)
	merged, ok := f.m.finish()
	f.m.release()
	f.inputs.reset()
	f.last, f.healthy = nil, 0
	fleets.Put(f)
	return merged, ok
}

// fleets keeps memory for reuse and no state.
var fleets = sync.Pool{New: func() any { return new(fleet) }}

// fleet merges the inputs of a sequence.
type fleet struct {
	m       merger
	inputs  arena[Input] // those that the merger keeps
	last    *Input       // the last of them
	healthy int          // inputs that are only counted
}

// add adds an input that is not only counted, and copies it only if the merger keeps it.
func (f *fleet) add(in *Input) {
	shared, known := f.last, f.last != nil && alike(f.last, in)
	if !known {
		shared = f.inputs.next()
		*shared = *in
	}
	switch kept := f.m.add(mergeItem{in: shared, name: in.Object.Name, condition: in.Condition}); {
	case kept:
		f.last = shared
	case !known:
		f.inputs.back()
	}
}

// alike reports whether two inputs differ in nothing but the name of the object and the condition, as the inputs of a fleet do.
func alike(a, b *Input) bool {
	return a.Object.Kind == b.Object.Kind && a.Object.Namespace == b.Object.Namespace && a.Object.Group == b.Object.Group &&
		a.Type == b.Type && a.Polarity == b.Polarity && a.Severity == b.Severity &&
		a.Stale == b.Stale && a.Optional == b.Optional && a.First == b.First && len(a.Causes)+len(b.Causes) == 0
}
