// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"regexp"
	"strings"
)

var indexes = regexp.MustCompile(`\[[^\]]*\]`)

// textWidth is the width to which descriptions are broken.
const textWidth = 96

// indent breaks text between words and sets its lines in.
func indent(text, in string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(in)
			column = len(in)
		case column+1+len(word) > textWidth:
			b.WriteString("\n" + in)
			column = len(in)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
