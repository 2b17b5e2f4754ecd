// SPDX-License-Identifier: Apache-2.0

package outbound

import (
	"net/netip"
	"testing"
)

// FuzzSet: no text makes a gate panic, and the text of a gate that is set sets another one alike.
func FuzzSet(f *testing.F) {
	f.Add("10.0.0.0/8,example.org")
	f.Add("::ffff:10.0.0.1/104,,*")
	f.Fuzz(func(t *testing.T, text string) {
		var g, again Gate
		if g.Set(text) != nil {
			return
		}
		if err := again.Set(g.String()); err != nil || again.String() != g.String() {
			t.Errorf("%q becomes %q, and that %q, %v", text, g.String(), again.String(), err)
		}
		for _, address := range []string{"169.254.169.254", "::ffff:169.254.169.254", "127.0.0.1", "fe80::1"} {
			g.Allows(netip.MustParseAddr(address))
		}
		g.Lists("Example.org.")
	})
}
