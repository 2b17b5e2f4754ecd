// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"strconv"
	"unicode/utf8"
)

// Buffer builds a message out of entries. Entries are kept whole as far as they fit.
type Buffer struct {
	b    []byte
	n    int // entries begun
	kept int // entries of which everything up to mark is kept
	mark int // end of the last entry after which the closing words still fit
	all  int // what the entries speak of: themselves, or so many objects
	said int // what the kept entries speak of
	over int // what no entry speaks of
}

// Reset empties the buffer and keeps its memory.
func (t *Buffer) Reset() {
	*t = Buffer{b: t.b[:0]}
}

// Append adds to the entry.
func (t *Buffer) Append(s string) { t.b = append(t.b, s...) }

// Begin starts an entry that speaks of so many.
func (t *Buffer) Begin(size int) {
	t.all += size
	if t.n > 0 {
		t.b = append(t.b, "; "...)
	}
	t.n++
}

// End closes an entry. An entry that does not fit is dropped again, unless it is the first one: that one is cut.
func (t *Buffer) End() {
	if t.n > 1 && t.kept < t.n-1 {
		t.b = t.b[:t.mark] // earlier ones were left out: whole entries first, in order
		return
	}
	if len(t.b)+Reserve <= MaxMessage {
		t.kept, t.mark, t.said = t.n, len(t.b), t.all
		return
	}
	if t.n == 1 {
		t.b = append(t.b[:0], Cut(string(t.b), MaxMessage-Reserve)...)
		t.kept, t.mark, t.said = 1, len(t.b), t.all
		return
	}
	t.b = t.b[:t.mark]
}

// Finish says how many were left out.
func (t *Buffer) Finish(before, after string) {
	if left := t.all - t.said + t.over; left > 0 {
		t.b = append(t.b[:t.mark], before...)
		t.b = strconv.AppendInt(t.b, int64(left), 10)
		t.b = append(t.b, after...)
	}
}

// Text is the message; it is the stored one, and costs no memory, where the two are equal.
func (t *Buffer) Text(stored string) string {
	if string(t.b) == stored {
		return stored
	}
	if !utf8.Valid(t.b) {
		return Cut(string(t.b), MaxMessage)
	}
	return string(t.b)
}

// lead makes what was written the beginning of the message, before its entries.
func (t *Buffer) lead() {
	t.b = append(t.b, ": "...)
	t.mark = len(t.b)
}

// counter writes "x of y completed".
func (t *Buffer) counter(x, y int) { t.b = AppendCounter(t.b, x, y) }

// cell writes "Type(Reason): text".
func (t *Buffer) cell(r *Item) {
	t.b = append(t.b, r.Type...)
	if r.Reason() != "" {
		t.b = append(t.b, '(')
		t.b = append(t.b, r.Reason()...)
		t.b = append(t.b, ')')
	}
	if r.Message() != "" {
		t.b = append(t.b, ": "...)
		t.b = append(t.b, r.Message()...)
	}
}

// names writes " [a, b, c and 2 more]": the objects that share a text, with kind and namespace where they differ.
func (t *Buffer) names(list []*Item, kinds, spaces bool) {
	if len(list) == 1 && list[0].Ref() == (Object{}) {
		return
	}
	t.b = append(t.b, " ["...)
	for i := range list {
		if i == maxNames && len(list) > maxNames {
			t.b = append(t.b, " and "...)
			t.b = strconv.AppendInt(t.b, int64(len(list)-i), 10)
			t.b = append(t.b, " more"...)
			break
		}
		if i > 0 {
			t.b = append(t.b, ", "...)
		}
		ref := &list[i].Object
		if kinds {
			t.b = append(append(t.b, ref.Kind...), '/')
		}
		if spaces && ref.Namespace != "" {
			t.b = append(append(t.b, ref.Namespace...), '/')
		}
		t.b = append(t.b, list[i].Name...)
	}
	t.b = append(t.b, ']')
}
