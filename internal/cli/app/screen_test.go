// SPDX-License-Identifier: Apache-2.0

package app

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScreen: a frame is drawn in place of the last one, as far as it fits.
func TestScreen(t *testing.T) {
	var out strings.Builder
	s := &Screen{Out: &out, Terminal: true, Height: 5}
	s.Frame("1\n2\n3\n4\n")
	s.Frame("1\n2\n3\n4\n5\n6\n")
	s.Frame("1\n")
	want := "1\n2\n3\n4\n" + "\x1b[4A\x1b[J" + "1\n2\n3\n… and 3 more rows\n" + "\x1b[4A\x1b[J" + "1\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
