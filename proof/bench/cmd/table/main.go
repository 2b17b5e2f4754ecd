// SPDX-License-Identifier: Apache-2.0

// Command table measures every library in one run and prints the ratios.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tristate/tristate/proof/bench"
)

func main() {
	testing.Init()
	count := flag.Int("count", 3, "rounds; the fastest of each run counts, as others may use the machine")
	each := flag.String("benchtime", "100ms", "time of each measurement")
	match := flag.String("match", "", "only scenarios whose name contains the text")
	flag.Parse()
	if err := flag.Set("test.benchtime", *each); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range bench.All {
		if !strings.Contains(s.Name, *match) {
			continue
		}
		best := measure(s, *count)
		fmt.Fprintf(w, "%s\tprocessor\tmemory\tallocations\ttimes ours\n", s.Name)
		for i, r := range s.Runs {
			fmt.Fprintf(w, "  %s\t%s\t%d B\t%d\t%.2f\n", r.Library, duration(nanoseconds(best[i])), best[i].AllocedBytesPerOp(),
				best[i].AllocsPerOp(),
				nanoseconds(best[i])/nanoseconds(best[0]))
		}
		fmt.Fprintln(w, "\t\t\t\t")
	}
	if *match == "" {
		if err := weigh(w); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// measure takes turns, so that a busy moment of the machine hits every library.
func measure(s bench.Scenario, count int) []testing.BenchmarkResult {
	results := make([][]testing.BenchmarkResult, len(s.Runs))
	for range count {
		for i, r := range s.Runs {
			results[i] = append(results[i], testing.Benchmark(r.Bench))
		}
	}
	best := make([]testing.BenchmarkResult, len(s.Runs))
	for i := range results {
		best[i] = slices.MinFunc(results[i], func(a, b testing.BenchmarkResult) int {
			return int(nanoseconds(a)*1000) - int(nanoseconds(b)*1000)
		})
	}
	return best
}

// nanoseconds is the time of the processor for one operation.
func nanoseconds(r testing.BenchmarkResult) float64 { return r.Extra[bench.CPU] }

func duration(ns float64) string {
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.2f us", ns/1e3)
	}
	return fmt.Sprintf("%.2f ms", ns/1e6)
}
