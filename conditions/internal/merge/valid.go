// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Limits of metav1.Condition's schema, in bytes. The API server counts the characters of a message, so that counting bytes is on the
// safe side.
const (
	MaxType     = 316
	MaxTypeName = 63 // the part behind the slash
	MaxReason   = 1024
	MaxMessage  = 32768
)

// Limits are the limits, in bytes, of a schema that differs from the one of metav1.Condition. Any text is a type or a
// reason.
type Limits struct{ Type, Reason, Message int }

// ValidType reports whether the API server accepts the condition type: a qualified name of at most 316 bytes. It is a
// name of at most 63 letters, digits, "-", "_" and "." that starts and ends with a letter or digit. A DNS subdomain
// and a slash may precede it.
func ValidType(s string) bool {
	if len(s) == 0 || len(s) > MaxType {
		return false
	}
	for i := range len(s) {
		if s[i] == '/' {
			return subdomain(s[:i]) && qualifiedName(s[i+1:])
		}
	}
	return qualifiedName(s)
}

func qualifiedName(s string) bool {
	n := len(s)
	if n == 0 || n > MaxTypeName || !alnum(s[0]) || !alnum(s[n-1]) {
		return false
	}
	for i := range n {
		if c := s[i]; !alnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// subdomain accepts lower-case DNS labels joined by dots (RFC 1123).
func subdomain(s string) bool {
	if len(s) == 0 || len(s) > 253 {
		return false
	}
	boundary := true // at the start of a label
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			boundary = false
		case c == '-':
			if boundary {
				return false
			}
		case c == '.':
			if boundary || s[i-1] == '-' {
				return false
			}
			boundary = true
		default:
			return false
		}
	}
	return !boundary && s[len(s)-1] != '-'
}

// ValidReason reports whether the API server accepts the reason: 1 to 1024 bytes, a letter first, then letters, digits,
// "_", "," and ":", the last one a letter, digit or "_".
func ValidReason(s string) bool {
	n := len(s)
	if n == 0 || n > MaxReason || !letter(s[0]) {
		return false
	}
	for i := 1; i < n; i++ {
		if c := s[i]; !alnum(c) && c != '_' && c != ',' && c != ':' {
			return false
		}
	}
	c := s[n-1]
	return alnum(c) || c == '_'
}

// ValidStatus reports whether s is True, False or Unknown.
func ValidStatus(s metav1.ConditionStatus) bool {
	return s == metav1.ConditionTrue || s == metav1.ConditionFalse || s == metav1.ConditionUnknown
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func alnum(c byte) bool  { return letter(c) || '0' <= c && c <= '9' }

// ValidCondition returns everything in the condition that the API server would refuse, or nil. limits are the limits
// of a schema of its own, or nil; bare says that a reason may be omitted.
func ValidCondition(c *metav1.Condition, limits *Limits, bare bool) []error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("condition %q: "+format, append([]any{c.Type}, args...)...))
	}
	message := MaxMessage
	if limits != nil {
		message = limits.Message
		if len(c.Type) == 0 || len(c.Type) > limits.Type {
			refuse("type must have 1 to %d bytes", limits.Type)
		}
		if len(c.Reason) > limits.Reason || !utf8.ValidString(c.Reason) {
			refuse("reason must have at most %d bytes", limits.Reason)
		}
	} else {
		if !ValidType(c.Type) {
			refuse("type is not a qualified name of at most %d bytes", MaxType)
		}
		if !ValidReason(c.Reason) && (c.Reason != "" || !bare) {
			refuse("reason %.80q must have 1 to %d letters, digits, '_', ',' and ':', begin with a letter and not end in ',' or ':'", c.Reason,
				MaxReason)
		}
		if c.ObservedGeneration < 0 {
			refuse("observedGeneration %d is negative", c.ObservedGeneration)
		}
	}
	if !ValidStatus(c.Status) {
		refuse("status %.80q is not True, False or Unknown", c.Status)
	}
	if len(c.Message) > message && utf8.RuneCountInString(c.Message) > message {
		refuse("message has more than %d characters", message)
	}
	switch t := c.LastTransitionTime.Time; {
	case t.IsZero():
		refuse("lastTransitionTime is missing")
	case !ValidTime(t):
		refuse("lastTransitionTime is not in the years 1 to 9999")
	}
	return errs
}

// ValidTime reports whether the time can be written as RFC 3339 has it: not zero, and in the years 1 to 9999.
func ValidTime(t time.Time) bool {
	const first, last = -62135596800, 253402300799
	return !t.IsZero() && t.Unix() >= first && t.Unix() <= last
}
