// SPDX-License-Identifier: Apache-2.0

// Package knative has the rules of Knative's condition sets (knative.dev/pkg/apis): the newest dependent that is not healthy is copied.
//
// False comes before Unknown. A missing dependent makes a bare Unknown, and only where no other is Unknown; all healthy ones make a bare
// True. The library's result depends on the order of the calls; this is the result for the order in which the deciding dependent comes
// last.
package knative

import "github.com/tristate/tristate/conditions/internal/merge"

// Rules are those of the library. It has no mirror.
var Rules = merge.Rules{
	Merge: summarize, NoGenerations: true, BareHealthy: true, BareReason: true, Severities: []string{"Warning", "Info"},
}

func summarize(m *merge.Merge) (merge.Result, bool) {
	if len(m.Items)+m.Counted == 0 {
		return merge.Result{}, false
	}
	m.NewestFirst()
	out := merge.Result{Weight: m.Worst()}
	if out.Weight == merge.Healthy {
		return out, true
	}
	for _, i := range m.Items {
		if i.Weight == out.Weight && !i.Missing() {
			out.Reason, out.Message = i.Reason(), i.Message()
			break
		}
	}
	if !m.Exact {
		out.Message = merge.Cut(out.Message, merge.MaxMessage)
	}
	return out, true
}
