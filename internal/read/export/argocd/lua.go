// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"
	"strings"
)

// quote writes a text as a Lua string. Every byte that is not printable ASCII is written as a decimal escape.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// array writes texts as a Lua array.
func array(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// allBytes writes the 256 bytes as Lua strings. A zero byte sorts before all others and ends no string in Lua.
func allBytes() string {
	out := make([]string, 256)
	for i := range out {
		out[i] = fmt.Sprintf("\"\\%03d\"", i)
	}
	return strings.Join(out, ",")
}
