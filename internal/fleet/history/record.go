// SPDX-License-Identifier: Apache-2.0

package history

import (
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// Kind is what a record is about.
type Kind uint8

// The kinds of records.
const (
	Run       Kind = 1 + iota // the store was opened for writing; nothing is known of the time before, back to the last record
	Alive                     // the run goes on
	Verdict                   // the verdict or the reason of an object changed
	Condition                 // a condition of an object changed
	Lost                      // the cluster does not answer any more
	Regained                  // it answers again; changes in between were seen only now
)

// Source is how the beginning of a state is known.
type Source uint8

// The sources.
const (
	Seen    Source = iota // by a watch, as it happened
	First                 // it was so when the run began
	Gap                   // it differs from what an earlier run saw: it changed in between
	Written               // from the lastTransitionTime of a condition
	Managed               // from the managed fields: the last write of the status
)

// Record is one change. Only At and Kind are required.
type Record struct {
	At      time.Time // milliseconds are kept
	Kind    Kind
	Source  Source
	Object  relation.ID
	Type    string // of a condition
	Was     string // the verdict before; empty: the object was not there
	Is      string // the verdict, or the status of a condition; empty: it is gone
	Reason  string
	Message string
	Since   time.Time // when the state began by the object itself; seconds are kept
}

// maxText is the length of the longest text that is kept, in bytes.
const maxText = 256

// secret finds what looks like a credential in a text: a word for one with its value, credentials in a URL, and tokens of well-known
// shapes.
var secret = regexp.MustCompile(
	`(?i)((?:password|passwd|secret|token|api[_-]?key|access[_-]?key|authorization)["']?\s*[:=]\s*["']?(?:(?:bearer|basic)\s+)?|bearer\s+)[^\s"',;]{6,}` +
		`|(://[^/\s:@]+:)[^@\s/]+(@)|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}[A-Za-z0-9_.-]*|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,}`)

// Text returns a text as it is kept: cut at a rune boundary, without what looks like a secret.
func Text(s string) string {
	if len(s) > 4*maxText {
		s = s[:4*maxText] // a bound on the work
	}
	s = secret.ReplaceAllString(s, "${1}${2}[redacted]${3}")
	if len(s) <= maxText {
		return s
	}
	end := maxText - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
