// SPDX-License-Identifier: Apache-2.0

package score

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"text/tabwriter"

	"github.com/tristate/tristate/verdict"
)

// Write prints the shares, the confusion matrix, the rules by rows decided, and, where asked for, every miss with the
// evidence of its verdict.
func (r *Report) Write(w io.Writer, misses bool) error {
	fg, dr := r.FalseGreen(), r.DegradedRecall()
	if _, err := fmt.Fprintf(w, "%s: %d of %d right (%.1f %%), mean over %d groups %.1f %%, broken called Current %d of %d (%.1f %%), "+
		"broken recognised %d of %d (%.1f %%)\n\n",
		r.Name, r.Right, r.Rows, r.Exact(), len(r.ByGroup), r.GroupMean(), fg.Right, fg.All, fg.Percent(), dr.Right, dr.All,
		dr.Percent()); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "asserted")
	for _, s := range verdict.Statuses {
		fmt.Fprintf(t, "\t%s", s)
	}
	fmt.Fprintln(t)
	for _, word := range Expectations {
		if r.expected(word) == 0 {
			continue
		}
		fmt.Fprintf(t, "%s", word)
		for _, s := range verdict.Statuses {
			fmt.Fprintf(t, "\t%d", r.Matrix[word][s])
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t)
	names := make([]string, 0, len(r.Rules))
	for n := range r.Rules {
		names = append(names, n)
	}
	sort.Slice(names, func(i, k int) bool {
		a, b := r.Rules[names[i]], r.Rules[names[k]]
		return a.All > b.All || a.All == b.All && names[i] < names[k]
	})
	fmt.Fprintln(t, "rule\tright\tof\tpercent")
	for _, n := range names {
		s := r.Rules[n]
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\n", n, s.Right, s.All, s.Percent())
	}
	if err := t.Flush(); err != nil || !misses {
		return err
	}
	fmt.Fprintln(w)
	for i := range r.Misses {
		if err := r.Misses[i].write(w); err != nil {
			return err
		}
	}
	return nil
}

func (m *Miss) write(w io.Writer) error {
	v := &m.Verdict
	_, err := fmt.Fprintf(w, "%s: %s, not %s (asserted: %s)\n  %s %s: %s\n", m.Row.ID, v.Status, m.Row.Expected, m.Row.Message, v.Rule,
		v.Reason, v.Message)
	for _, e := range v.Evidence {
		value, jsonErr := json.Marshal(e.Value)
		if jsonErr != nil {
			value = []byte(`"?"`)
		}
		if len(value) > 100 {
			value = append(value[:97:97], "..."...)
		}
		if _, err := fmt.Fprintf(w, "  %s = %s\n", e.Path, value); err != nil {
			return err
		}
	}
	return err
}
