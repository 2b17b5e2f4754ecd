// SPDX-License-Identifier: Apache-2.0

package karseval

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
)

func TestJudge(t *testing.T) {
	passed, failed := &api.EvalResult{Total: 3, Passed: 3}, &api.EvalResult{Total: 3, Failed: 1, Passed: 2, Failing: []string{"shell"}}
	tests := map[string]struct {
		facts Facts
		want  string // Ready, Progressing, Degraded, ConformanceDrift
	}{
		"spec outranks everything": {Facts{Problems: []string{"cron"}, TargetMissing: "x", NoBuiltin: "y"},
			"False SpecInvalid, False Failed, True SpecInvalid"},
		"target outranks corpus": {Facts{TargetMissing: "x", NoBuiltin: "y"},
			"False TargetSandboxMissing, False Failed, True TargetSandboxMissing"},
		"corpus outranks a target that is not ready": {Facts{TargetNotReady: "x", ParseError: "y"},
			"False CorpusParseFailed, False Failed, True CorpusParseFailed"},
		"nothing asked for a run": {Facts{}, "True CorpusResolved, False Reconciled, False Reconciled"},
		"ran over another corpus": {Facts{RanBefore: true}, "True Reconciled, False Reconciled, False Reconciled"},
		"scheduled":               {Facts{Scheduled: true}, "False Scheduled, True Scheduled, False Reconciled"},
		"scheduled and asked": {Facts{Scheduled: true, RunAsked: true, Running: true},
			"False RunTriggered, True Reconciling, False Reconciled"},
		"passed as scheduled": {Facts{Scheduled: true, Result: passed},
			"True AllPassed, False Reconciled, False Reconciled, False AllPassed"},
		"passed": {Facts{Result: passed}, "True AllPassed, False Reconciled, False Reconciled, False AllPassed"},
		"a run that takes too long": {Facts{Result: passed, Running: true, Oldest: "a", Began: time.Unix(0, 0).Add(-time.Hour)},
			"True AllPassed, False TimedOut, False Reconciled, False AllPassed"},
		"drift": {Facts{Result: failed}, "False RunReportRead, False Reconciled, False Reconciled, True DriftDetected"},
		"drift and no target": {Facts{Result: failed, TargetNotReady: "x"},
			"False TargetSandboxNotReady, False Failed, True TargetSandboxNotReady, True DriftDetected"},
		"no case ran": {Facts{Result: &api.EvalResult{}}, "False RunReportRead, False Reconciled, False Reconciled"},
		"refused":     {Facts{WriteError: errors.New("x"), Digest: "sha256:1"}, "False Failed, False Failed"},
		"no report":   {Facts{ReportError: "x"}, "False RunReportParseFailed, False Failed, True RunReportParseFailed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := BeginList(1, nil, time.Unix(0, 0))
			Judge(p, test.facts)
			if diff := cmp.Diff(test.want, line(p.Commit())); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestVerdictStays: while a corpus cannot be fetched the verdict of the last run is not lost.
func TestVerdictStays(t *testing.T) {
	p := BeginList(1, nil, time.Unix(0, 0))
	Judge(p, Facts{Result: &api.EvalResult{Total: 1, Failed: 1}})
	p2 := BeginList(1, p.Commit().Conditions(), time.Unix(1, 0))
	Judge(p2, Facts{Verdict: true, FetchError: "away"})
	if diff := cmp.Diff("False CorpusFetchFailed, False Failed, True CorpusFetchFailed, True DriftDetected", line(p2.Commit())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func line(r conditions.Result) string {
	var out []string
	for _, c := range r.Conditions() {
		out = append(out, string(c.Status)+" "+c.Reason)
	}
	return strings.Join(out, ", ")
}
