// SPDX-License-Identifier: Apache-2.0

package check

import (
	"regexp"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// Exception accepts findings until a day. It matches by check and subject only.
type Exception = evidence.Exception

// exception returns the exception that covers a finding; nil without one. An expired one covers nothing.
func (r *run) exception(f *Finding) *Exception {
	for _, e := range r.exceptions {
		if matches(e, f.Check.ID, f.Subject) && !expired(e, r.options.Now) {
			return e
		}
	}
	return nil
}

func matches(e *Exception, id, subject string) bool {
	return e.Check == id && glob(e.Subject, subject)
}

// glob reports whether a subject matches a pattern, in which an asterisk matches any text, slashes too.
func glob(pattern, subject string) bool {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(subject)
}

// expired reports whether the last day of an exception has passed, in UTC.
func expired(e *Exception, now time.Time) bool {
	return e.Until.IsZero() || now.After(e.Until.AddDate(0, 0, 1))
}

// Exceptions calls do for each exception of the run, with the number of findings that it covers. For the checks about exceptions.
func (p *Pass) Exceptions(do func(e *Exception, used int, expired, known, ran bool)) {
	known := map[string]bool{}
	for _, c := range p.Checks {
		known[c.ID] = true
	}
	for _, e := range p.run.exceptions {
		do(e, p.run.used[e], expired(e, p.run.options.Now), known[e.Check], p.run.ran[e.Check])
	}
}

// Stale calls do for each entry of the baseline, of checks that ran, with fewer findings than it lists. For the check about baselines.
func (p *Pass) Stale(do func(at catalog.Position, entry BaselineEntry, found int)) {
	b := p.run.options.Baseline
	if b == nil {
		return
	}
	for _, e := range b.Findings {
		if found := p.run.seen[e.Fingerprint]; found < e.Count && p.run.ran[e.Check] {
			do(catalog.Position{File: b.File}, e, found)
		}
	}
}
