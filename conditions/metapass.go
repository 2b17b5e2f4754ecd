// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MetaPass is a pass over a list of metav1 conditions, with room for the list of its result. Generated code holds one, so that a steady
// pass allocates nothing as long as its result stays in the reconciler; the zero value is ready for [MetaPass.Begin]. Its memory is used
// for one pass alone.
type MetaPass struct {
	record record
	room   [12]Condition
}

// Begin is [Kind.Begin] over metav1 conditions. It returns the pass; a MetaPass that was begun before returns that one.
func (m *MetaPass) Begin(k *Kind, generation int64, stored []metav1.Condition, now time.Time) Pass {
	if m.record.kind == nil {
		m.record.begin(k, generation, nil, now)
		m.record.meta = stored
	}
	return Pass{&m.record}
}

// Commit is [Pass.Commit] of the pass. The lists of its result may stand in the MetaPass, which is never written again.
func (m *MetaPass) Commit() Result {
	var made Result
	r := &m.record
	if r.kind == nil {
		made.Errors = []error{errors.New("the pass was not begun")}
		return made
	}
	if !r.close(&made) {
		return made
	}
	owned := r.commit(&made)
	out := made // a variable whose address goes nowhere, so that the compiler sees where the lists go
	if made.Changed {
		return out
	}
	out.Conditions = r.stored
	switch {
	case len(r.meta) > len(m.room):
		out.Conditions = FromMeta(r.meta)
	case r.meta != nil:
		out.Conditions = appendMeta(m.room[:0], r.meta)
	}
	out.Owned = owned.at(r.kind, out.Conditions)
	return out
}
