// SPDX-License-Identifier: Apache-2.0

package conditions

// Aggregator is [Aggregate] for fleets: inputs are added one by one, and of healthy ones only their number is kept (in profile
// capi-v1beta2 also what they say). The zero value aggregates by the native rules. It is neither for concurrent use nor for copying. O(1) memory for each healthy input and O(n log n) time in the unhealthy ones; O(n) time
// without causes, where all objects are of one kind and their texts differ. It can be used again with Reset, which keeps its
// memory.
//
//	a := conditions.NewAggregator(o)
//	for _, machine := range machines {
//		a.Add(&conditions.Input{Object: ref(machine), Type: "Ready", Condition: ready(machine)})
//	}
//	merged, ok := a.Result()
type Aggregator struct {
	_      noCopy
	o      MergeOptions
	m      merger
	inputs pile[Input] // what must outlive Add
	last   *Input      // the last of them
}

// NewAggregator is ready for Add.
func NewAggregator(o MergeOptions) *Aggregator {
	a := &Aggregator{o: o}
	a.Reset()
	return a
}

// Reset forgets what was added.
func (a *Aggregator) Reset() {
	if !a.begun() {
		return
	}
	a.inputs.reset()
	a.last = nil
	a.m.start(&a.o, true, true)
}

// noCopy makes go vet refuse copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// begun reports whether the aggregator can be used, and begins a zero one. A copy begins anew: what was added is the other one's.
func (a *Aggregator) begun() bool {
	if a == nil {
		return false
	}
	if a.m.o != &a.o {
		a.m, a.inputs, a.last = merger{}, pile[Input]{}, nil
		a.m.start(&a.o, true, true)
	}
	return true
}

// Add takes one object's condition in. The condition must stay unchanged until Result; the input is copied, and only if it
// is not healthy.
func (a *Aggregator) Add(in *Input) {
	if !a.begun() {
		return
	}
	if a.o.onlyCounted(in) {
		a.m.addHealthy(1)
		return
	}
	shared, known := a.last, a.last != nil && alike(a.last, in)
	if !known {
		shared = a.inputs.next()
		*shared = *in
	}
	switch kept := a.m.add(rated{in: shared, name: in.Object.Name, condition: in.Condition}); {
	case kept:
		a.last = shared
	case !known:
		a.inputs.back()
	}
}

// alike reports whether two inputs have everything in common but the name of the object and the condition, as those of a fleet have.
func alike(a, b *Input) bool {
	return a.Object.Kind == b.Object.Kind && a.Object.Namespace == b.Object.Namespace && a.Object.Group == b.Object.Group &&
		a.Type == b.Type && a.Polarity == b.Polarity && a.Severity == b.Severity &&
		a.Stale == b.Stale && a.Optional == b.Optional && a.First == b.First && len(a.Causes)+len(b.Causes) == 0
}

// Result is what [Aggregate] would give for the inputs.
func (a *Aggregator) Result() (Merged, bool) {
	if !a.begun() {
		return Merged{}, false
	}
	return a.m.finish()
}
