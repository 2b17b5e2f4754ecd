// SPDX-License-Identifier: Apache-2.0

// Package runcheck checks the run itself: unreadable and empty inputs, exceptions that have ended, cover no finding or name no
// check, and a baseline that can shrink. Absent evidence is reported and never ignored.
//
// Its checks run last.
package runcheck

import (
	"embed"
	"time"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/declare/catalog"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "check/unreadable", Title: "everything that was named can be read", Level: check.Error, Needs: evidence.Run,
		Why: "what could not be read was not checked", Run: unreadable},
	{ID: "check/nothing-to-check", Title: "every input holds something to check", Level: check.Error, Needs: evidence.Run,
		Why: "an empty input passes every check and proves nothing", Fix: "name files with catalogs, definitions, documents, objects or exports",
		Run: empty},
	{ID: "check/exception-expired", Title: "no exception has expired", Level: check.Error, Needs: evidence.Run,
		Why: "the finding had to be mended by then", Fix: "mend it, or agree on a new day", Run: expired},
	{ID: "check/exception-unused", Title: "every exception covers a finding", Level: check.Warning, Needs: evidence.Run,
		Why: "an exception that covers nothing hides the next finding", Fix: "remove it", Run: unused},
	{ID: "check/exception-invalid", Title: "an exception names a check that exists", Level: check.Error, Needs: evidence.Run,
		Why: "it covers nothing", Fix: "tristate check --list shows the ids", Run: invalid},
	{ID: "check/baseline-stale", Title: "the baseline lists what is still found", Level: check.Warning, Needs: evidence.Run,
		Why: "what is mended could come back unseen", Fix: "write it again with --write-baseline: it can only shrink", Run: stale},
})

func unreadable(p *check.Pass) {
	for _, f := range p.Unreadable {
		p.Report(f.Position, f.Position.File, "%s", f.Message)
	}
}

func empty(p *check.Pass) {
	for _, name := range p.Empty {
		p.Report(catalog.Position{File: name}, name, "%s holds nothing that can be checked", name)
	}
}

func subject(e *check.Exception) string { return "exception " + e.Check + " " + e.Subject }

func expired(p *check.Pass) {
	p.Exceptions(func(e *check.Exception, _ int, over, _, _ bool) {
		p.Subject()
		if over {
			p.Report(e.Position, subject(e), "the exception of %s for %s ended on %s (owner: %s)", e.Check, e.Subject, e.Until.Format(time.DateOnly),
				e.Owner)
		}
	})
}

func unused(p *check.Pass) {
	p.Exceptions(func(e *check.Exception, used int, over, known, ran bool) {
		p.Subject()
		if used == 0 && !over && known && ran {
			p.Report(e.Position, subject(e), "the exception of %s for %s covers nothing (owner: %s)", e.Check, e.Subject, e.Owner)
		}
	})
}

func invalid(p *check.Pass) {
	p.Exceptions(func(e *check.Exception, _ int, _, known, _ bool) {
		p.Subject()
		if !known {
			p.Report(e.Position, subject(e), "there is no check %s", e.Check)
		}
	})
}

func stale(p *check.Pass) {
	p.Stale(func(at catalog.Position, e check.BaselineEntry, found int) {
		p.Report(at, "baseline "+e.Check+" "+e.Subject, "%s of %s is listed %d times and found %d times", e.Check, e.Subject, e.Count, found)
	})
}
