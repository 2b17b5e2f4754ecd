// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/tristate/tristate/conditions"
)

var (
	cases = flag.Int("cases", 200_000, "number of random cases per operation")
	seed  = flag.Uint64("seed", 1, "seed of the random cases")
)

// compare runs the cases and gives the smallest mismatch of the first one found, with the number of cases that compared
// something.
func compare(op Operation, cases int, seed uint64, mutate func(*conditions.MergeOptions)) (*Comparison, int) {
	r := rand.New(rand.NewPCG(seed, 0))
	buf := make([]byte, 256)
	compared := 0
	for range cases {
		data := Random(r, buf)
		c := op.Run(NewSource(data), mutate)
		if c.Case != nil {
			compared++
		}
		if c.Equal() {
			continue
		}
		small := Shrink(data, func(b []byte) bool { return !op.Run(NewSource(b), mutate).Equal() })
		c = op.Run(NewSource(small), mutate)
		return &c, compared
	}
	return nil, compared
}

func TestRandom(t *testing.T) {
	for _, op := range CAPIv1beta1 {
		t.Run("capi-v1beta1/"+op.Name, func(t *testing.T) {
			t.Parallel()
			mismatch, compared := compare(op, *cases, *seed, nil)
			if mismatch != nil {
				t.Fatalf("differs from upstream:\n%s", mismatch)
			}
			t.Logf("%d cases compared, no mismatch", compared)
			if compared < *cases*8/10 {
				t.Errorf("only %d of %d cases compared anything", compared, *cases)
			}
		})
	}
}
