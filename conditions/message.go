// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a message. The API server counts characters, so that counting bytes is on the safe side.
const (
	MaxMessageBytes     = 32768 // metav1.Condition
	MaxMessageBytesCAPI = 10240 // the schema of Cluster API's v1beta1 conditions
)

// CutMessage returns a message of at most limit bytes of valid UTF-8: cut at a rune boundary, saying how many bytes were
// left out; bytes that are no UTF-8 become U+FFFD. A message that fits is returned as it is.
func CutMessage(s string, limit int) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= limit {
		return s
	}
	suffix := func(k int) string { return "... (" + strconv.Itoa(len(s)-k) + " bytes left out)" }
	k := max(0, limit-len(suffix(0)))
	for k > 0 && !utf8.RuneStart(s[k]) {
		k--
	}
	if out := s[:k] + suffix(k); len(out) <= limit {
		return out
	}
	return "" // a limit too small to say anything
}

// textBuffer builds a message out of entries. Entries are kept whole as far as they fit.
type textBuffer struct {
	b    []byte
	n    int // entries begun
	kept int // entries of which everything up to mark is kept
	mark int // end of the last entry after which the closing words still fit
	all  int // what the entries speak of: themselves, or so many objects
	told int // what of it is kept
	over int // what no entry speaks of
}

// reserve is room for the closing words: how many entries were left out.
const reserve = 48

func (t *textBuffer) reset() {
	*t = textBuffer{b: t.b[:0]}
}

// begin starts an entry that speaks of so many.
func (t *textBuffer) begin(size int) {
	t.all += size
	if t.n > 0 {
		t.b = append(t.b, "; "...)
	}
	t.n++
}

// end closes an entry. An entry that does not fit is taken back, unless it is the first one: that one is cut.
func (t *textBuffer) end() {
	if t.n > 1 && t.kept < t.n-1 {
		t.b = t.b[:t.mark] // earlier ones were left out: whole entries first, in order
		return
	}
	if len(t.b)+reserve <= MaxMessageBytes {
		t.kept, t.mark, t.told = t.n, len(t.b), t.all
		return
	}
	if t.n == 1 {
		t.b = append(t.b[:0], CutMessage(string(t.b), MaxMessageBytes-reserve)...)
		t.kept, t.mark, t.told = 1, len(t.b), t.all
		return
	}
	t.b = t.b[:t.mark]
}

// finish says how many were left out.
func (t *textBuffer) finish(before, after string) {
	if left := t.all - t.told + t.over; left > 0 {
		t.b = append(t.b[:t.mark], before...)
		t.b = strconv.AppendInt(t.b, int64(left), 10)
		t.b = append(t.b, after...)
	}
}

// text is the message; it is the stored one, and costs no memory, where the two are equal.
func (t *textBuffer) text(stored string) string {
	if string(t.b) == stored {
		return stored
	}
	if !utf8.Valid(t.b) {
		return CutMessage(string(t.b), MaxMessageBytes)
	}
	return string(t.b)
}

// counter writes "x of y completed" (Cluster API proposal 20200506, "step counter").
func (t *textBuffer) counter(x, y int) {
	t.b = strconv.AppendInt(t.b, int64(x), 10)
	t.b = append(t.b, " of "...)
	t.b = strconv.AppendInt(t.b, int64(y), 10)
	t.b = append(t.b, " completed"...)
}

// cell writes "Type(Reason): text".
func (t *textBuffer) cell(r *rated) {
	t.b = append(t.b, r.in.Type...)
	if r.reason() != "" {
		t.b = append(t.b, '(')
		t.b = append(t.b, r.reason()...)
		t.b = append(t.b, ')')
	}
	if r.message() != "" {
		t.b = append(t.b, ": "...)
		t.b = append(t.b, r.message()...)
	}
}

// names writes " [a, b, c and 2 more]": the objects that share a text, with kind and namespace where they differ.
func (t *textBuffer) names(list []*rated, kinds, spaces bool) {
	if len(list) == 1 && list[0].object() == (Ref{}) {
		return
	}
	t.b = append(t.b, " ["...)
	for i := range list {
		if i == MaxNames && len(list) > MaxNames {
			t.b = append(t.b, " and "...)
			t.b = strconv.AppendInt(t.b, int64(len(list)-i), 10)
			t.b = append(t.b, " more"...)
			break
		}
		if i > 0 {
			t.b = append(t.b, ", "...)
		}
		ref := &list[i].in.Object
		if kinds {
			t.b = append(append(t.b, ref.Kind...), '/')
		}
		if spaces && ref.Namespace != "" {
			t.b = append(append(t.b, ref.Namespace...), '/')
		}
		t.b = append(t.b, list[i].name...)
	}
	t.b = append(t.b, ']')
}

func sameText(a, b *rated) bool {
	return byText(a, b) == 0
}
