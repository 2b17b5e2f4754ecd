// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/pack"
)

// BenchmarkExpressions runs every expression of the verdict rules of shipped packs on the objects of their cases: an operation is all of
// them. It reports the mean and the slowest, the least of several runs each, and how many take more than five microseconds.
func BenchmarkExpressions(b *testing.B) {
	_, packs := shipped(b)
	files, err := fs.Glob(catalogs.Packs, "packs/*.yaml")
	if err != nil {
		b.Fatal(err)
	}
	type one struct {
		kind   *catalog.Kind
		rule   *expr.Program
		object map[string]any
		now    time.Time
	}
	var all []one
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "catalogs", "packs", "testdata", path.Base(file)))
		if err != nil {
			b.Fatal(err)
		}
		cases, err := pack.ReadCases(file, data)
		if err != nil {
			b.Fatal(err)
		}
		for _, k := range packs.Kinds() {
			for _, c := range cases {
				if c.Object["kind"] != k.For.Kind {
					continue
				}
				for _, j := range k.Verdicts {
					if j.When != nil && len(j.When.Names()) == 0 {
						all = append(all, one{k, j.When, c.Object, c.Now})
					}
				}
			}
		}
	}
	const rounds = 16
	best := make([]time.Duration, len(all))
	for b.Loop() {
		for i, x := range all {
			c := &expr.Context{Now: x.now, Conditions: x.kind.List}
			start := time.Now()
			for range rounds {
				_, _ = x.rule.Bool(c, expr.Values{Self: x.object}) // a field that is not there is an error, as usual
			}
			if took := time.Since(start) / rounds; best[i] == 0 || took < best[i] { // a benchmark
				best[i] = took
			}
		}
	}
	sum, over := time.Duration(0), 0
	for _, took := range best {
		if sum += took; took > 5*time.Microsecond { // a benchmark
			over++
		}
	}
	b.ReportMetric(float64(sum.Nanoseconds())/float64(len(best)), "mean-ns")
	b.ReportMetric(float64(slices.Max(best).Nanoseconds()), "slowest-ns")
	b.ReportMetric(float64(over), "over-5us")
	b.ReportMetric(float64(len(best)), "expressions")
}
