// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// MaxMessageBytes is the limit of a message in metav1.Condition. The API server counts characters, so that counting bytes is on the safe
// side.
const MaxMessageBytes = merge.MaxMessage

// Text formats a message as fmt.Sprintf does. A format without verbs and arguments is the message.
func Text(format string, args ...any) string {
	if len(args) == 0 && strings.IndexByte(format, '%') < 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// CutMessage returns a message of at most limit bytes of valid UTF-8: cut at a rune boundary, with the number of bytes that were left out;
// invalid bytes become U+FFFD. A message that fits is returned as it is.
func CutMessage(s string, limit int) string { return merge.Cut(s, limit) }

// textBuffer builds a message out of entries. Entries are kept whole as far as they fit.
type textBuffer struct {
	b    []byte
	n    int // entries begun
	kept int // entries of which everything up to mark is kept
	mark int // end of the last entry after which the closing words still fit
	all  int // what the entries speak of: themselves, or so many objects
	said int // what the kept entries speak of
	over int // what no entry speaks of
}

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

// end closes an entry. An entry that does not fit is dropped again, unless it is the first one: that one is cut.
func (t *textBuffer) end() {
	if t.n > 1 && t.kept < t.n-1 {
		t.b = t.b[:t.mark] // earlier ones were left out: whole entries first, in order
		return
	}
	if len(t.b)+merge.Reserve <= MaxMessageBytes {
		t.kept, t.mark, t.said = t.n, len(t.b), t.all
		return
	}
	if t.n == 1 {
		t.b = append(t.b[:0], CutMessage(string(t.b), MaxMessageBytes-merge.Reserve)...)
		t.kept, t.mark, t.said = 1, len(t.b), t.all
		return
	}
	t.b = t.b[:t.mark]
}

// finish says how many were left out.
func (t *textBuffer) finish(before, after string) {
	if left := t.all - t.said + t.over; left > 0 {
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

// lead makes what was written the beginning of the message, before its entries.
func (t *textBuffer) lead() {
	t.b = append(t.b, ": "...)
	t.mark = len(t.b)
}

// counter writes "x of y completed".
func (t *textBuffer) counter(x, y int) { t.b = merge.AppendCounter(t.b, x, y) }

// cell writes "Type(Reason): text".
func (t *textBuffer) cell(r *item) {
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
func (t *textBuffer) names(list []*item, kinds, spaces bool) {
	if len(list) == 1 && list[0].Ref() == (merge.Object{}) {
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
