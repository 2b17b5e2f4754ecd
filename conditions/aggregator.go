// SPDX-License-Identifier: Apache-2.0

package conditions

// Aggregator is [Aggregate] for fleets: inputs are added one by one, and of healthy ones only their number is kept (in profile
// capi-v1beta2 also what they say). O(1) memory for each healthy input and O(n log n) time in the unhealthy ones. It can be
// used again with Reset, then without allocating (but in profile capi-v1beta2).
//
//	a := conditions.NewAggregator(o)
//	for _, machine := range machines {
//		a.Add(&conditions.Input{Object: ref(machine), Type: "Ready", Condition: ready(machine)})
//	}
//	merged, ok := a.Result()
type Aggregator struct {
	o      MergeOptions
	m      merger
	chunks [][]Input // what must outlive Add; chunks keep addresses stable
	used   int       // entries in use
}

// chunkSize trades memory in small fleets for allocations in large ones.
const chunkSize = 32

// NewAggregator is ready for Add.
func NewAggregator(o MergeOptions) *Aggregator {
	a := &Aggregator{o: o}
	a.Reset()
	return a
}

// Reset forgets what was added.
func (a *Aggregator) Reset() {
	for i := range a.chunks {
		clear(a.chunks[i])
	}
	a.used = 0
	a.m.start(&a.o, true, true)
}

// Add takes one object's condition in. The condition must stay unchanged until Result; the input is copied, and only if it
// is not healthy.
func (a *Aggregator) Add(in *Input) {
	if a.o.onlyCounted(in) {
		a.m.addHealthy(1)
		return
	}
	if a.used == len(a.chunks)*chunkSize {
		a.chunks = append(a.chunks, make([]Input, chunkSize))
	}
	slot := &a.chunks[a.used/chunkSize][a.used%chunkSize]
	*slot = *in
	if a.m.add(slot) {
		a.used++
	}
}

// Result is what [Aggregate] would give for the inputs.
func (a *Aggregator) Result() (Merged, bool) {
	return a.m.finish()
}
