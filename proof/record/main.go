// SPDX-License-Identifier: Apache-2.0

// Command record brings each known bug back, in a copy of the tree, and expects the test that holds it to fail.
//
//	go run ./proof/record [-all] [-budget 5m] [-seed n] [-rows regexp]
//
// It exits with 1 if the test of a row stays green or is skipped, if its patch does not apply, or if the copy does not compile with it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	all := flag.Bool("all", false, "run every row")
	budget := flag.Duration("budget", 5*time.Minute, "start no row after this time, unless -all or -rows is given")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the order of the rows")
	only := flag.String("rows", "", "run the rows whose name matches this expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *all || *only != "", *budget, *seed, *only); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, all bool, budget time.Duration, seed uint64, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	rows, err := load(os.DirFS("proof/record/rows"))
	if err != nil {
		return err
	}
	tree, remove, err := copyTree(ctx, ".")
	if err != nil {
		return err
	}
	defer remove()
	fmt.Printf("record: %d rows, seed %d\n", len(rows), seed)
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(rows))
	begin, ran, bad := time.Now(), 0, 0
	for _, i := range order {
		r := rows[i]
		if !match.MatchString(r.Name) {
			continue
		}
		if ctx.Err() != nil || !all && time.Since(begin) > budget {
			break
		}
		start := time.Now()
		err := tree.bringBack(ctx, r)
		ran++
		took := time.Since(start).Round(100 * time.Millisecond)
		if err != nil {
			bad++
			fmt.Printf("FAIL  %s (%v): %v\n", r.Name, took, err)
			continue
		}
		fmt.Printf("red   %s (%v): %s\n", r.Name, took, r.Test.Name)
	}
	fmt.Printf("record: %d of %d rows run, %d of them without a red test\n", ran, len(rows), bad)
	if err := ctx.Err(); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d rows do not hold", bad)
	}
	if ran == 0 {
		return errors.New("no row was run")
	}
	return nil
}
