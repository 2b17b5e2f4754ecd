// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions/rollup"
)

var (
	cases = flag.Int("cases", 20_000, "number of random cases per operation")
	seed  = flag.Uint64("seed", 1, "seed of the random cases")
)

// compare runs the cases and returns the smallest mismatch of the first one found, with the number of cases that compared
// something.
func compare(op Operation, cases int, seed uint64, mutate func(*rollup.Options)) (*Comparison, int) {
	r := rand.New(rand.NewPCG(seed, 0))
	buf := make([]byte, 400)
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

// all are the operations by the name of the rules they follow.
var all = []struct {
	rules string
	of    []Operation
}{
	{"capi-v1beta1", CAPIv1beta1},
	{"capi-v1beta2", CAPIv1beta2},
}

func TestRandom(t *testing.T) {
	n := *cases
	if os.Getenv("TRISTATE_ORACLE") == "long" {
		n = max(n, 1_200_000)
	}
	for _, set := range all {
		for _, op := range set.of {
			t.Run(set.rules+"/"+op.Name, func(t *testing.T) {
				t.Parallel()
				start := time.Now()
				mismatch, compared := compare(op, n, *seed, nil)
				if mismatch != nil {
					t.Fatalf("differs from upstream:\n%s", mismatch)
				}
				t.Logf("%d cases, %d compared, no mismatch, %.1f s", n, compared, time.Since(start).Seconds())
				if compared < n*8/10 {
					t.Errorf("only %d of %d cases compared anything", compared, n)
				}
			})
		}
	}
}
