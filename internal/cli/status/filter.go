// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// filter chooses and orders what status shows.
type filter struct {
	verdicts, reasons []string
	olderThan, since  time.Duration
	sort              string
	history           string               // the folder of the history that --since reads
	recorded          map[relation.ID]bool // objects that were unhealthy within --since, by the history
}

func (f *filter) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.verdicts, "verdict", nil, "show only objects with one of these verdicts")
	flags.StringSliceVar(&f.reasons, "reason", nil, "show only objects with one of these reasons")
	flags.DurationVar(&f.olderThan, "older-than", 0, "show only objects that have been in their state for at least this long")
	flags.DurationVar(&f.since, "since", 0, "show only objects that got worse within this time: those that are unhealthy now and were in "+
		"another state before, and "+
		"those that the history of tristate ui or serve saw unhealthy, though they have recovered")
	flags.StringVar(&f.history, "history", "", "folder of the history that --since reads, or none (default: tristate/history in the user's "+
		"cache folder)")
	flags.StringVar(&f.sort, "sort", "name", "order: name, problems (worst, then oldest, first) or age (oldest first)")
}

// check returns an error for a word that is not known.
func (f *filter) check() error {
	for i, word := range f.verdicts {
		s, err := verdict.ParseStatus(word)
		if err != nil {
			return exit.Usagef("--verdict: %w", err)
		}
		f.verdicts[i] = string(s)
	}
	if !slices.Contains([]string{"name", "problems", "age"}, f.sort) {
		return exit.Usagef("--sort %q: use name, problems or age", f.sort)
	}
	return nil
}

// shows reports whether an object is shown.
func (f *filter) shows(id relation.ID, j relation.Judgement, now time.Time) bool {
	return (len(f.verdicts) == 0 || slices.Contains(f.verdicts, string(j.Verdict))) &&
		(len(f.reasons) == 0 || slices.ContainsFunc(f.reasons, func(r string) bool { return strings.EqualFold(r, j.Reason) })) &&
		(f.since == 0 || f.recorded[id] || !j.Fine() && !j.Since.IsZero() && now.Sub(j.Since) <= f.since) &&
		(f.olderThan == 0 || !j.Since.IsZero() && now.Sub(j.Since) >= f.olderThan)
}

// showsAt returns when time alone changes whether an object is shown; zero is never.
func (f *filter) showsAt(j relation.Judgement, now time.Time) time.Time {
	if at := j.Since.Add(f.since); f.since > 0 && !j.Since.IsZero() && !now.After(at) {
		return at.Add(time.Nanosecond) // when it is not shown any more
	}
	if at := j.Since.Add(f.olderThan); f.olderThan > 0 && !j.Since.IsZero() && now.Before(at) {
		return at
	}
	return time.Time{}
}

// ProblemsFirst sorts objects: the worst, then the oldest, first.
func ProblemsFirst(nodes []*relation.Node) { (&filter{sort: "problems"}).order(nodes) }

// order sorts objects, which are ordered by name, by --sort.
func (f *filter) order(nodes []*relation.Node) {
	if f.sort != "name" {
		slices.SortStableFunc(nodes, func(x, y *relation.Node) int { return f.compare(x.Judgement, y.Judgement) })
	}
}

// compare orders judgements; 0 leaves the order by name.
func (f *filter) compare(a, b relation.Judgement) int {
	switch f.sort {
	case "problems":
		return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), oldest(a, b))
	case "age":
		return oldest(a, b)
	}
	return 0
}

// oldest orders judgements by the time since when they hold, the earliest first and those without a time last.
func oldest(a, b relation.Judgement) int {
	if a.Since.IsZero() || b.Since.IsZero() {
		return b.Since.Compare(a.Since)
	}
	return a.Since.Compare(b.Since)
}

// remember reads for --since which objects the history of this machine saw unhealthy within that time, so that one that has recovered is
// shown, too. Without a history there are none.
func (v *Status) remember() error {
	if v.since == 0 || len(v.Files) > 0 {
		return nil
	}
	config, _, err := v.Config()
	if err != nil {
		return err
	}
	now := v.App.Now()
	store := history.Open((&feed.Options{History: v.history}).Folder(config.Host), history.Options{ReadOnly: true, Now: v.App.Now})
	v.recorded = troubled(store, now.Add(-v.since))
	return nil
}

// troubled returns the objects whose verdict changed to or from one of an unhealthy object at a moment or later.
func troubled(store *history.Store, from time.Time) map[relation.ID]bool {
	out := map[relation.ID]bool{}
	store.Scan(func(r history.Record) bool {
		if r.Kind == history.Verdict && !r.At.Before(from) && r.Source != history.First && (bad(r.Is) || bad(r.Was)) {
			out[r.Object] = true
		}
		return true
	})
	return out
}

// bad reports whether a recorded verdict is one of an unhealthy object; an empty one is none.
func bad(word string) bool {
	return word != "" && !relation.Judgement{Verdict: verdict.Status(word)}.Fine()
}
