// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/dialect"
	"github.com/tristate/tristate/conditions/internal/merge"
)

// Limits of metav1.Condition's schema. The API server counts the characters of a message, so that counting bytes is on the safe side.
const (
	MaxTypeBytes     = merge.MaxType
	MaxTypeNameBytes = merge.MaxTypeName // the part behind the slash
	MaxReasonBytes   = merge.MaxReason
	MaxMessageBytes  = merge.MaxMessage
)

// Validate returns what the API server would refuse in the condition, all of it, or nil. Dialect capi-v1beta1 has a
// schema of its own: any reason of at most 256 bytes, also none, and messages of at most 10,240. In dialect knative a reason may be
// left out.
func Validate(c *conditions.Condition, d conditions.Dialect) []error {
	rules := dialect.Rules(string(d))
	return merge.ValidCondition(&c.Condition, rules.Limits, rules.BareReason)
}

// ValidType reports whether the API server accepts the condition type: a qualified name of at most 316 bytes. It is a
// name of at most 63 letters, digits, "-", "_" and "." that starts and ends with a letter or digit. A DNS subdomain
// and a slash may precede it.
func ValidType(s string) bool { return merge.ValidType(s) }

// ValidReason reports whether the API server accepts the reason: 1 to 1024 bytes, a letter first, then letters, digits,
// "_", "," and ":", the last one a letter, digit or "_".
func ValidReason(s string) bool { return merge.ValidReason(s) }

// ValidStatus reports whether s is True, False or Unknown.
func ValidStatus(s conditions.Status) bool { return merge.ValidStatus(s) }

// CutMessage returns a message of at most limit bytes of valid UTF-8: cut at a rune boundary, with the number of bytes that were left out;
// invalid bytes become U+FFFD. A message that fits is returned as it is.
func CutMessage(s string, limit int) string { return merge.Cut(s, limit) }
