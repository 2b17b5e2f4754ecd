// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/check/evidence"
)

// Outcome is the result of a check.
type Outcome string

// The outcomes.
const (
	Passed   Outcome = "pass"     // no findings
	Failed   Outcome = "fail"     // a new finding
	Skipped  Outcome = "skipped"  // evidence is missing
	Excepted Outcome = "excepted" // all findings are excepted or known
)

// Result is the result of one check, with its findings.
type Result struct {
	Check   *Check
	Outcome Outcome
	// Missing is the evidence for lack of which the check was skipped.
	Missing evidence.Need
	// Subjects counts the subjects of the check.
	Subjects int
	// Findings are the new ones. Excepted and Known are those that an exception or the baseline covers.
	Findings, Known []*Finding
	Excepted        []ExceptedFinding
	// Dropped counts findings beyond the first thousand.
	Dropped int
	// Took is the duration of the check.
	Took time.Duration
}

// ExceptedFinding is a finding with the exception that covers it.
type ExceptedFinding struct {
	*Finding
	Exception *Exception
}

// Report holds the results of a run, one a check in the order of the checks.
type Report struct {
	Results []Result
}

// Options are the options of a run.
type Options struct {
	Now          time.Time
	At           time.Time     // as of which objects are judged; zero: Now
	Skew, Budget time.Duration // zero: one minute, one hour
	Exceptions   []*Exception
	Baseline     *Baseline
}

type run struct {
	options    Options
	exceptions []*Exception
	used       map[*Exception]int
	seen       map[string]int // findings by fingerprint
	ran        map[string]bool
	all        []*Check
	once       map[string]any
}

// Run runs checks over evidence. Checks that need nothing but the run itself ([evidence.Run]) come last.
func Run(e *evidence.Evidence, checks []*Check, o Options) *Report {
	if o.At.IsZero() {
		o.At = o.Now
	}
	o.Skew, o.Budget = cmp.Or(o.Skew, time.Minute), cmp.Or(o.Budget, time.Hour)
	r := &run{options: o, exceptions: o.Exceptions, used: map[*Exception]int{}, seen: map[string]int{}, ran: map[string]bool{}, all: checks,
		once: map[string]any{}}
	have := e.Have()
	order := slices.Clone(checks)
	slices.SortStableFunc(order, func(a, b *Check) int { return cmp.Compare(a.Needs&evidence.Run, b.Needs&evidence.Run) })
	report := &Report{}
	for _, c := range order {
		if e.Stopped() {
			break
		}
		report.Results = append(report.Results, r.one(e, c, have))
	}
	return report
}

func (r *run) one(e *evidence.Evidence, c *Check, have evidence.Need) Result {
	if missing := c.Needs &^ (have | evidence.Run); missing != 0 {
		return Result{Check: c, Outcome: Skipped, Missing: missing}
	}
	start := time.Now()
	p := &Pass{Evidence: e, Check: c, Now: r.options.At, Skew: r.options.Skew, Budget: r.options.Budget, Checks: r.all, run: r}
	c.Run(p)
	r.ran[c.ID] = true
	slices.SortStableFunc(p.findings, compare)
	out := Result{Check: c, Outcome: Passed, Subjects: max(p.subjects, len(p.findings)), Dropped: p.dropped, Took: time.Since(start)}
	for _, f := range p.findings {
		print := f.Fingerprint()
		r.seen[print]++
		switch ex := r.exception(f); {
		case ex != nil:
			r.used[ex]++
			out.Excepted = append(out.Excepted, ExceptedFinding{f, ex})
		case r.options.Baseline.knows(print, r.seen[print]):
			out.Known = append(out.Known, f)
		default:
			out.Findings = append(out.Findings, f)
		}
	}
	switch {
	case len(out.Findings) > 0:
		out.Outcome = Failed
	case len(out.Excepted)+len(out.Known) > 0:
		out.Outcome = Excepted
	}
	return out
}

// Findings returns all new findings at a level or worse, by file and place.
func (r *Report) Findings(least Level) []*Finding {
	var out []*Finding
	for i := range r.Results {
		for _, f := range r.Results[i].Findings {
			if f.Level.Rank() <= least.Rank() {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, compare)
	return out
}

// compare orders findings by file, place, check and subject.
func compare(a, b *Finding) int {
	return cmp.Or(cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
		cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Check.ID, b.Check.ID), cmp.Compare(a.Subject, b.Subject))
}

// Count returns the number of new findings by level.
func (r *Report) Count() map[Level]int {
	out := map[Level]int{}
	for i := range r.Results {
		for _, f := range r.Results[i].Findings {
			out[f.Level]++
		}
		if c := r.Results[i]; c.Dropped > 0 {
			out[c.Check.Level] += c.Dropped
		}
	}
	return out
}
