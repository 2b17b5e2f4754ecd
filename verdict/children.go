// SPDX-License-Identifier: Apache-2.0

package verdict

import "slices"

// Child is an object that another one depends on, with its verdict.
type Child struct {
	// Name is how the child is called in sentences, as "Pod/web-1".
	Name    string
	Verdict *Verdict
}

// Doubt adds a contradiction for each child that is broken while v says that all is well. It changes neither status nor
// readiness: whether a child counts is for the owner of the relation to say. Of many broken children the worst are named,
// by name where they are equally bad; their order does not matter.
func (v *Verdict) Doubt(children []Child) {
	if v.Status != Current {
		return
	}
	broken := slices.DeleteFunc(slices.Clone(children), func(c Child) bool { return c.Verdict == nil || !c.Verdict.Status.Broken() })
	slices.SortFunc(broken, func(a, b Child) int {
		if x, y := a.Verdict.Status.rank(), b.Verdict.Status.rank(); x != y {
			return y - x
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	for _, c := range broken {
		v.contradict(string(v.Status), message{wording: childIs, s1: c.Name + " is " + string(c.Verdict.Status), s2: c.Verdict.Message()})
	}
}
