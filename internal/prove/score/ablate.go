// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tristate/tristate/verdict"
)

// A Contribution is how many answers of an engine change without one rule or word.
type Contribution struct {
	Name string
	// Right is by how many fewer rows are right without it; below zero, it does harm on these rows.
	Right int
	// Changed is how many rows get another status without it.
	Changed int
}

// Ablate judges rows, which may be of several corpora, without each rule and each word of the conventions in turn. The results are sorted
// by their worth, the most valuable first.
func Ablate(engine *verdict.Engine, rows []Row, now time.Time) (rules, words []Contribution) {
	base := statuses(engine, rows, now)
	for _, r := range verdict.All {
		rules = append(rules, contribution(r.ID, engine.Without([]string{r.ID}), base, rows, now))
	}
	for _, w := range verdict.Words() {
		words = append(words, contribution(w.In+" "+w.Word+" ("+w.Meaning+")", engine.Without(nil, w), base, rows, now))
	}
	worth := func(a, b Contribution) int {
		return cmp.Or(cmp.Compare(b.Right, a.Right), cmp.Compare(b.Changed, a.Changed), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(rules, worth)
	slices.SortFunc(words, worth)
	return rules, words
}

func statuses(engine *verdict.Engine, rows []Row, now time.Time) []verdict.Verdict {
	out := make([]verdict.Verdict, len(rows))
	for i := range rows {
		out[i] = engine.Judge(rows[i].Object, now)
	}
	return out
}

func contribution(name string, engine *verdict.Engine, base []verdict.Verdict, rows []Row, now time.Time) Contribution {
	c := Contribution{Name: name}
	for i := range rows {
		v := engine.Judge(rows[i].Object, now)
		if v.Status != base[i].Status {
			c.Changed++
		}
		if rows[i].right(base[i].Status) {
			c.Right++
		}
		if rows[i].right(v.Status) {
			c.Right--
		}
	}
	return c
}

// WriteContributions prints the worth of rules and words, and then those that no row needs.
func WriteContributions(w io.Writer, title string, list []Contribution) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tworth\tchanges\n", title)
	var unused []string
	for _, c := range list {
		if c.Changed == 0 && c.Right == 0 {
			unused = append(unused, c.Name)
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%d\n", c.Name, c.Right, c.Changed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d of %d change no row by themselves%s\n", len(unused), len(list),
		strings.TrimSuffix(": "+strings.Join(unused, ", "), ": ")+".")
	return err
}
