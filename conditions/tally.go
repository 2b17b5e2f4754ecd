// SPDX-License-Identifier: Apache-2.0

package conditions

// Tally is [Aggregate] kept up to date: each object's condition is put in when it changes, and only the unhealthy ones are looked
// at again for a result. The zero value is empty and ready for use. It holds a map entry for each object, and a copy of the
// condition of those that are not healthy. It is not for concurrent use.
type Tally struct {
	healthy map[Ref]bool   // false: it is in others
	others  map[Ref]*Input // what is not healthy, or does not count
	m       merger
}

// Put takes in the condition of in.Object, in place of an earlier one.
func (t *Tally) Put(in Input) {
	if t.healthy == nil {
		t.healthy, t.others = map[Ref]bool{}, map[Ref]*Input{}
	}
	if in.Condition != nil && !in.Stale && fine(in.Condition.Status, in.Polarity) {
		delete(t.others, in.Object)
		t.healthy[in.Object] = true
		return
	}
	if in.Condition != nil {
		c := *in.Condition
		in.Condition = &c
	}
	t.healthy[in.Object] = false
	t.others[in.Object] = &in
}

// Remove forgets an object.
func (t *Tally) Remove(object Ref) {
	delete(t.healthy, object)
	delete(t.others, object)
}

// Result is what [Aggregate] would give for what is there. With [MergeOptions.Exact] healthy objects count as bare ones.
func (t *Tally) Result(o MergeOptions) (Merged, bool) {
	t.m.start(&o, true, true)
	t.m.addHealthy(len(t.healthy) - len(t.others))
	for _, in := range t.others {
		t.m.offer(in)
	}
	return t.m.finish()
}
