// SPDX-License-Identifier: Apache-2.0

// Command scanbench scans Go modules and prints which share of their reason sites is resolved, how, how long it took, and every site that is
// not resolved.
//
//	scanbench DIR[=PATTERN,PATTERN] ...
//
// A module is a folder with its dependencies built (go list -export -deps), as a checkout or a copy out of the module cache. The command
// fails where less than the share of -least is resolved, or a scan takes longer than -within for 200,000 lines.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/source"
	"github.com/tristate/tristate/internal/source/goscan"
)

func main() {
	least := flag.Float64("least", 0.9, "the share of sites that must be resolved")
	within := flag.Duration("within", 10*time.Second, "how long 200,000 lines may take")
	fromSource := flag.Bool("source", false, "read the declarations of dependencies that are not built from their source")
	list := flag.Bool("list", true, "list the sites that are not resolved")
	flag.Parse()
	failed := false
	for _, arg := range flag.Args() {
		dir, patterns, _ := strings.Cut(arg, "=")
		options := goscan.Options{FromSource: *fromSource}
		if patterns != "" {
			options.Patterns = strings.Split(patterns, ",")
		}
		start := time.Now()
		scan, err := goscan.Scan(context.Background(), dir, options)
		took := time.Since(start)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		resolved, total, by := scan.Tally()
		share := float64(resolved) / float64(max(total, 1))
		fmt.Printf("%s: %d of %d reason sites resolved (%.1f %%), %d lines in %.1f s\n", dir, resolved, total, 100*share, scan.Lines, took.Seconds())
		var hows []string
		for how, n := range by {
			hows = append(hows, fmt.Sprintf("%s %d", how, n))
		}
		slices.Sort(hows)
		fmt.Printf("  %s\n", strings.Join(hows, ", "))
		if len(scan.Faults) > 0 {
			fmt.Printf("  %d packages or files could not be read completely: %s\n", len(scan.Faults), scan.Faults[0])
		}
		for _, site := range scan.Sites {
			if *list && !site.Resolved() {
				fmt.Printf("  %s: %s\n", site.Position, unresolved(site))
			}
		}
		limit := time.Duration(float64(*within) * float64(max(scan.Lines, 200_000)) / 200_000)
		failed = failed || share < *least || took > limit
	}
	if failed {
		os.Exit(1)
	}
}

func unresolved(site *source.Site) string {
	var out []string
	for _, v := range site.Reason {
		if !v.Known() {
			out = append(out, fmt.Sprintf("%s %s", v.How, v.Expr))
		}
	}
	return strings.Join(out, ", ")
}
