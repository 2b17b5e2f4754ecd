// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tristate/tristate/systems/kars/operator/internal/router"
)

// MaxReport bounds a report in bytes.
const MaxReport = 256 << 10

// Report is the output of a run.
type Report struct {
	SchemaVersion string    `json:"schemaVersion"`
	CorpusName    string    `json:"corpusName"`
	CorpusDigest  string    `json:"corpusDigest"`
	StartedAt     time.Time `json:"startedAt"`
	CompletedAt   time.Time `json:"completedAt"`
	DurationMs    int64     `json:"durationMs"`
	RouterBase    string    `json:"routerBase"`
	Total         int32     `json:"total"`
	Passed        int32     `json:"passed"`
	Failed        int32     `json:"failed"`
	Errored       int32     `json:"errored"`
	Results       []Result  `json:"results"`
}

// Result is the outcome of a case.
type Result struct {
	CaseID   string            `json:"caseId"`
	Tags     []string          `json:"tags,omitempty"`
	Scenario Scenario          `json:"scenario"`
	Expected Expect            `json:"expected"`
	Actual   []router.Decision `json:"actual,omitempty"`
	Verdict  Verdict           `json:"verdict"`
}

// The results of a case.
const (
	Pass  = "Pass"
	Fail  = "Fail"
	Error = "Error" // the router was not asked, or did not answer
)

// Verdict is Pass, Fail or Error, and why.
type Verdict struct {
	Result string `json:"result"`
	Reason string `json:"reason,omitempty"`
}

// Judge compares decisions with the expected ones.
func Judge(want Expect, got []router.Decision) Verdict {
	some := want.DecisionAtLeastSome == ""
	for _, d := range got {
		if want.Decision != "" && d.Decision != want.Decision {
			return Verdict{Fail, "DecisionMismatch"}
		}
		some = some || d.Decision == want.DecisionAtLeastSome
	}
	if !some {
		return Verdict{Fail, "DecisionAtLeastSomeMissing"}
	}
	for _, d := range got {
		if want.ByPolicyKind != "" && d.ByPolicyKind != want.ByPolicyKind {
			return Verdict{Fail, "ByPolicyKindMismatch"}
		}
	}
	for _, d := range got {
		if !strings.Contains(d.Reason, want.ReasonContains) {
			return Verdict{Fail, "ReasonContainsMissing"}
		}
	}
	return Verdict{Result: Pass}
}

// ParseReport reads a report of a run over a corpus.
func ParseReport(body []byte, corpusDigest string) (Report, error) {
	var r Report
	switch err := json.Unmarshal(body, &r); {
	case len(body) > MaxReport:
		return r, fmt.Errorf("the report is longer than %d bytes", MaxReport)
	case err != nil:
		return r, errors.New("the report is not JSON")
	case r.SchemaVersion != "v1":
		return r, fmt.Errorf("schemaVersion %q of the report is not v1", r.SchemaVersion)
	case r.CorpusDigest != corpusDigest:
		return r, errors.New("the report is about another corpus")
	case r.Total < 0 || r.Passed < 0 || r.Failed < 0 || r.Errored < 0 || int64(r.Passed)+int64(r.Failed)+int64(r.Errored) != int64(r.Total) ||
		int(r.Total) != len(r.Results):
		return r, errors.New("the counts of the report do not add up")
	}
	return r, nil
}
