// SPDX-License-Identifier: Apache-2.0

// Command scanbench scans Go modules and prints which share of their reason sites is resolved, how, how long it took, and every site that is
// not resolved.
//
//	scanbench [-source] MODULE@VERSION|DIR[=PATTERN,PATTERN] ...
//
// A module is downloaded, or a folder; -source reads the declarations of its dependencies from their source, without which they are built. The
// time does not count the download, and without -source not the building: that is done before. The command fails where less than the share of
// -least is resolved, or a scan takes longer than -within for 200,000 lines.
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

// options are those of the command.
type options struct {
	least            float64
	within           time.Duration
	fromSource, list bool
}

func main() {
	var o options
	flag.Float64Var(&o.least, "least", 0.9, "the share of sites that must be resolved")
	flag.DurationVar(&o.within, "within", 10*time.Second, "how long 200,000 lines may take; not with -source")
	flag.BoolVar(&o.fromSource, "source", false, "read the declarations of dependencies from their source")
	flag.BoolVar(&o.list, "list", true, "list the sites that are not resolved")
	flag.Parse()
	failed := false
	for _, arg := range flag.Args() {
		ok, err := o.scan(arg)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		failed = failed || !ok
	}
	if failed {
		os.Exit(1)
	}
}

// scan scans one module and reports whether it is within the limits.
func (o *options) scan(arg string) (bool, error) {
	name, patterns, _ := strings.Cut(arg, "=")
	dir := name
	if strings.Contains(name, "@") {
		copied, remove, err := fetch(name)
		if err != nil {
			return false, err
		}
		defer remove()
		dir = copied
	}
	chosen := goscan.Options{FromSource: o.fromSource, Env: environment(), Patterns: []string{"./..."}}
	if patterns != "" {
		chosen.Patterns = strings.Split(patterns, ",")
	}
	if !o.fromSource { // packages are built before the time counts
		if _, err := goCommand(dir, append([]string{"list", "-export", "-deps"}, chosen.Patterns...)...); err != nil {
			return false, err
		}
	}
	start := time.Now()
	scan, err := goscan.Scan(context.Background(), dir, chosen)
	took := time.Since(start)
	if err != nil {
		return false, err
	}
	resolved, total, by := scan.Count()
	share := float64(resolved) / float64(max(total, 1))
	fmt.Printf("%s: %d of %d reason sites resolved (%.1f %%), %d lines in %.1f s\n", name, resolved, total, 100*share, scan.Lines, took.Seconds())
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
		if o.list && !site.Resolved() {
			fmt.Printf("  %s: %s\n", site.Position, unresolved(site))
		}
	}
	limit := time.Duration(float64(o.within) * float64(max(scan.Lines, 200_000)) / 200_000)
	return share >= o.least && (o.fromSource || took <= limit), nil
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
