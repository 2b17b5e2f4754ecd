// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Reserve is the room that a message keeps for its closing words: how many entries were left out.
const Reserve = 48

// Cut returns a message of at most limit bytes of valid UTF-8: cut at a rune boundary, with the number of bytes that were left out; invalid
// bytes become U+FFFD. A message that fits is returned as it is.
func Cut(s string, limit int) string {
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
	return "" // not even the suffix fits
}

// AppendCounter appends "x of y completed" (Cluster API proposal 20200506, "step counter").
func AppendCounter(b []byte, x, y int) []byte {
	b = append(strconv.AppendInt(b, int64(x), 10), " of "...)
	return append(strconv.AppendInt(b, int64(y), 10), " completed"...)
}

// changed returns when the condition changed; the zero time if that is unknown.
func (i *Item) changed() time.Time {
	if i.Condition == nil {
		return time.Time{}
	}
	return i.Condition.LastTransitionTime.Time
}
