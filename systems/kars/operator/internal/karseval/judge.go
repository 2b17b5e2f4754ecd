// SPDX-License-Identifier: Apache-2.0

package karseval

import (
	"strings"
	"time"

	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
)

// Facts are the facts about an evaluation. Texts are empty where a fact does not hold.
type Facts struct {
	Problems       []string // of the spec
	TargetMissing  string
	TargetNotReady string
	NoBuiltin      string
	FetchError     string // of the bundle of the corpus
	ParseError     string // of the corpus
	WriteError     error  // of a child

	Corpus, Digest string          // resolved
	Result         *api.EvalResult // of the last run over this corpus; nil: none
	ReportError    string          // of a run that has finished since
	Scheduled      bool
	RunAsked       bool         // a run was asked for and is in flight
	Current        string       // name of its Job
	Job            *batchv1.Job // which is there, unless others have deleted it
	Running        bool         // any run is in flight
	Oldest         string       // the uid of the oldest run in flight; empty: none is
	Began          time.Time    // when it was created
	RanBefore      bool         // there is a result of an earlier run, over whatever corpus
	Verdict        bool         // a run has given a verdict before, which stays while no other is known
}

// Judge turns facts into conditions. A verdict of an earlier run stays in ConformanceDrift while no other is known.
func Judge(p *Pass, f Facts) {
	obstacles(p, f)
	if f.ReportError != "" {
		p.RunReportParseFailed("%s", f.ReportError)
	}
	verdict(p, f)
	if f.bad() {
		return
	}
	waiting(p, f)
	progress(p, f)
}

// bad reports whether the evaluation cannot be relied on.
func (f Facts) bad() bool {
	return len(f.Problems) > 0 || f.TargetMissing != "" || f.TargetNotReady != "" || f.NoBuiltin != "" || f.FetchError != "" ||
		f.ParseError != "" || f.ReportError != "" || f.WriteError != nil
}

func obstacles(p *Pass, f Facts) {
	if len(f.Problems) > 0 {
		p.SpecInvalid("%s", strings.Join(f.Problems, "; "))
	}
	if f.TargetMissing != "" {
		p.TargetSandboxMissing("%s", f.TargetMissing)
	}
	if f.NoBuiltin != "" {
		p.CorpusBuiltinMissing("%s", f.NoBuiltin)
	}
	if f.FetchError != "" {
		p.CorpusFetchFailed("%s", f.FetchError)
	}
	if f.WriteError != nil {
		p.Failed("%v", f.WriteError)
		p.Degraded.Absent() // no row is for it; any report outweighs it
	}
	if f.ParseError != "" {
		p.CorpusParseFailed("%s", f.ParseError)
	}
	if f.TargetNotReady != "" {
		p.TargetSandboxNotReady("%s", f.TargetNotReady)
	}
}

// verdict reports the result of the last run: Ready is AllPassed or says that a report was read, ConformanceDrift says whether a case
// failed.
func verdict(p *Pass, f Facts) {
	r := f.Result
	if !f.Verdict {
		p.ConformanceDrift.Absent() // no run has given a verdict; a report outweighs it
	}
	if r == nil {
		return
	}
	passed := r.Failed == 0 && r.Errored == 0 && r.Total > 0
	switch {
	case r.Failed > 0:
		p.ConformanceDrift.DriftDetected("%d of %d cases failed: %s", r.Failed, r.Total, strings.Join(r.Failing, ", "))
	case passed:
		p.AllPassed("%d", r.Total)
	}
	switch {
	case f.bad():
		return
	case passed:
	case r.Failed > 0:
		p.Ready.RunReportRead("%d of %d cases failed", r.Failed, r.Total)
	default:
		p.Ready.RunReportRead("%d of %d cases could not be asked about", r.Errored, r.Total)
	}
	p.Degraded.Reconciled()
}

// waiting reports the reason for which an evaluation has no result yet.
func waiting(p *Pass, f Facts) {
	if f.Result != nil {
		return
	}
	p.Degraded.Reconciled()
	switch {
	case f.RunAsked:
		p.Ready.RunTriggered()
	case f.Scheduled:
		p.Ready.Scheduled()
	case f.RanBefore:
		p.Ready.Reconciled()
	default:
		p.Ready.CorpusResolved()
	}
}

func progress(p *Pass, f Facts) {
	switch {
	case f.Running && !f.Scheduled, f.RunAsked:
		p.Progressing.Reconciling()
	case f.Running || f.Scheduled && f.Result == nil:
		p.Progressing.Scheduled()
	default:
		p.Progressing.Reconciled()
	}
	p.Progressing.Progress(f.Oldest) // each run has its own time
	p.Progressing.WaitSince(f.Began)
}
