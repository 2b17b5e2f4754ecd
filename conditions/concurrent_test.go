// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"sync"
	"testing"

	. "github.com/tristate/tristate/conditions"
)

// Passes of many goroutines share a kind, the stored list of a cache, and the memory behind passes: no result has anything of
// another's, now or later. The race detector watches.
func TestConcurrentPasses(t *testing.T) {
	k := steadyKind(DialectCore)
	cached := steadyPass(k, nil, t0, 0).Conditions()
	before := append([]Condition(nil), cached...)
	type outcome struct {
		n      int
		result Result
	}
	results := make(chan outcome, 800)
	var group sync.WaitGroup
	for worker := range 8 {
		inGroup(&group, func() {
			for i := range 100 {
				n := worker*100 + i
				p := k.Begin(4, cached, t1)
				for j := range 10 {
					p.Report(k.Types[j].Name, False, "Broken", fmt.Sprint("by ", n))
				}
				p.Report(k.Types[n%10].Name, False, "Broken", fmt.Sprint("again by ", n))
				p.Gate(fmt.Sprint("Gate", n), Positive)
				results <- outcome{n, p.Commit()}
			}
		})
	}
	group.Wait()
	close(results)
	for o := range results {
		for j := range 10 {
			c := o.result.Conditions()[j]
			want := fmt.Sprint("by ", o.n)
			if j == o.n%10 {
				want = fmt.Sprint("again by ", o.n, "; by ", o.n)
			}
			if c.Message != want {
				t.Fatalf("pass %d: %s says %q", o.n, c.Type, c.Message)
			}
		}
		causes := o.result.Causes("Ready")
		if len(causes) != 12 || causes[11].Type != fmt.Sprint("Gate", o.n) {
			t.Fatalf("pass %d: causes %v", o.n, causes)
		}
	}
	same(t, "the cached list", before, cached)
}
