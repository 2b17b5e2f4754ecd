// SPDX-License-Identifier: Apache-2.0

package egressapproval

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// HardCeiling is the longest time of a grant that any configuration allows.
const HardCeiling = 7 * 24 * time.Hour

var ttlForm = regexp.MustCompile(`^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$`)

// ParseTTL reads an ISO 8601 duration of days, hours, minutes and whole seconds above zero. Years, months and weeks have no fixed length or
// no use here, and are refused. A duration beyond 250 years comes out as 250 years.
func ParseTTL(text string) (time.Duration, bool) {
	m := ttlForm.FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(text, "T") {
		return 0, false
	}
	seconds := 0.0
	for i, unit := range []float64{24 * 60 * 60, 60 * 60, 60, 1} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(m[i+1], 64)
		if err != nil {
			return 0, false
		}
		seconds += n * unit
	}
	const most = 250 * 365 * 24 * 60 * 60
	return time.Duration(min(seconds, most)) * time.Second, seconds > 0
}

// reasonProblem returns the problem of spec.reason; empty: none.
func reasonProblem(reason string) string {
	switch n := utf8.RuneCountInString(reason); {
	case n == 0:
		return "spec.reason is empty"
	case n > 512:
		return "spec.reason has more than 512 characters"
	}
	visible := false
	for _, r := range reason {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
		case unicode.IsControl(r):
			return "spec.reason has control characters"
		case unicode.Is(unicode.Bidi_Control, r):
			return "spec.reason changes the direction of writing"
		default:
			visible = visible || !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
		}
	}
	if !visible {
		return "spec.reason is blank"
	}
	return ""
}
