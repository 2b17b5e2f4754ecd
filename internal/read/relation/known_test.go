// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/catalogs"
)

// TestKnownRows: each line of the table has six fields, a way and a time that exist, and a mark that exists where it needs one.
func TestKnownRows(t *testing.T) {
	for i, line := range strings.Split(strings.TrimSuffix(catalogs.Relations, "\n"), "\n") {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) != 6 {
			t.Errorf("relations.tsv:%d: %d fields", i+1, len(f))
			continue
		}
		way, there := ways[f[2]]
		_, shown := shows[f[5]]
		if _, marked := marks()[f[3]]; !there || !shown || way == shares && !marked {
			t.Errorf("relations.tsv:%d: %q, %q or %q is no word of the table", i+1, f[2], f[3], f[5])
		}
	}
}
