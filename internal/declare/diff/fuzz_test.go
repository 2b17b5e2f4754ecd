// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"os"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// FuzzCompare: no two catalogs make a comparison panic, and a catalog has no changes against itself.
func FuzzCompare(f *testing.F) {
	for _, name := range []string{"kpt", "cluster-api"} {
		data, err := os.ReadFile("../../../systems/" + name + "/catalog.yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		old, now := sourcesOf(before), sourcesOf(after)
		Markdown(Compare(old, now))
		Markdown(Compare(now, old))
		if changes := Compare(now, now); len(changes) > 0 {
			t.Errorf("a catalog differs from itself: %v", changes)
		}
	})
}

func sourcesOf(data []byte) []*catalog.Document {
	var out []*catalog.Document
	sources, _ := catalog.Parse("f", data)
	for _, s := range sources {
		out = append(out, &s.Document)
	}
	return out
}
