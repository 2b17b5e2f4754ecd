// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Buffer is a copy of a list of metav1 conditions in memory that is used again after Release. Generated code begins its passes on one.
type Buffer struct{ list []Condition }

// buffers keeps memory for reuse and no state: a buffer is cleared before it is put back.
var buffers = sync.Pool{New: func() any { return new(Buffer) }}

// Borrow copies a list. Severity is empty: metav1 has none.
func Borrow(list []metav1.Condition) *Buffer {
	b := buffers.Get().(*Buffer)
	for i := range list {
		b.list = append(b.list, Condition{Condition: list[i]})
	}
	return b
}

// List is the copy. It is the stored list that a pass over the object begins with.
func (b *Buffer) List() []Condition { return b.list }

// Release gives the memory back. Neither the list nor a [Result] of a pass that began with it may be used after that. Without Release
// nothing is wrong: the memory goes when nobody holds it.
func (b *Buffer) Release() {
	if b == nil {
		return
	}
	clear(b.list)
	b.list = b.list[:0]
	buffers.Put(b)
}
