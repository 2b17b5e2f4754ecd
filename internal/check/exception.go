// SPDX-License-Identifier: Apache-2.0

package check

import (
	"path"
	"time"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/check/evidence"
)

// Exception lets findings stand until a day. It matches by check and subject only.
type Exception = evidence.Exception

// exception finds the exception that covers a finding; nil without one. An expired one covers nothing.
func (r *run) exception(f *Finding) *Exception {
	for _, e := range r.exceptions {
		if matches(e, f.Check.ID, f.Subject) && !expired(e, r.options.Now) {
			return e
		}
	}
	return nil
}

func matches(e *Exception, id, subject string) bool {
	if e.Check != id {
		return false
	}
	return e.Subject == "*" || e.Subject == subject || glob(e.Subject, subject)
}

// glob matches like a shell, with an asterisk that also crosses slashes.
func glob(pattern, subject string) bool {
	if ok, err := path.Match(pattern, subject); err == nil && ok {
		return true
	}
	for i := range pattern {
		if pattern[i] != '*' {
			continue
		}
		head, tail := pattern[:i], pattern[i+1:]
		if len(subject) < len(head) || subject[:len(head)] != head {
			return false
		}
		for j := len(head); j <= len(subject); j++ {
			if glob(tail, subject[j:]) {
				return true
			}
		}
		return false
	}
	return pattern == subject
}

// expired reports whether the last day of an exception has passed, in UTC.
func expired(e *Exception, now time.Time) bool {
	return e.Until.IsZero() || now.After(e.Until.AddDate(0, 0, 1))
}

// Exceptions are those of the run, each with the number of findings it covers. For the checks about exceptions.
func (p *Pass) Exceptions(do func(e *Exception, used int, expired, known, ran bool)) {
	known := map[string]bool{}
	for _, c := range p.Checks {
		known[c.ID] = true
	}
	for _, e := range p.run.exceptions {
		do(e, p.run.used[e], expired(e, p.Now), known[e.Check], p.run.ran[e.Check])
	}
}

// Stale are the entries of the baseline that nothing was found for, of checks that ran. For the check about baselines.
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
