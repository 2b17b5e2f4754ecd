// SPDX-License-Identifier: Apache-2.0

package bench

import "testing"

func BenchmarkAll(b *testing.B) {
	for _, s := range All {
		for _, r := range s.Runs {
			b.Run(s.Name+"/"+r.Library, r.Bench)
		}
	}
}

// TestAll: each run succeeds twice.
func TestAll(t *testing.T) {
	for _, s := range All {
		for _, r := range s.Runs {
			t.Run(s.Name+"/"+r.Library, func(t *testing.T) {
				do := r.Prepare()
				for range 3 {
					if err := do(); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}
