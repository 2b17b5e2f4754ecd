// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"time"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/coverage"
)

// list is the JSON form: a contract of its own, apiVersion tristate.dev/v1alpha1, kind CheckReport. Fields are added, never renamed.
type list struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Errors     int          `json:"errors"`
	Warnings   int          `json:"warnings"`
	Infos      int          `json:"infos"`
	Checks     []resultJSON `json:"checks"`
	// Coverage is there where it was asked for.
	Coverage []coverage.Kind `json:"coverage,omitempty"`
}

type resultJSON struct {
	ID       string        `json:"id"`
	Outcome  check.Outcome `json:"outcome"`
	Missing  []string      `json:"missing,omitempty"`
	Subjects int           `json:"subjects"`
	Findings []findingJSON `json:"findings,omitempty"`
	Excepted []findingJSON `json:"excepted,omitempty"`
	Known    []findingJSON `json:"known,omitempty"`
	Dropped  int           `json:"dropped,omitempty"`
}

type findingJSON struct {
	Level       check.Level    `json:"level"`
	Subject     string         `json:"subject"`
	Fingerprint string         `json:"fingerprint"`
	File        string         `json:"file,omitempty"`
	Line        int            `json:"line,omitempty"`
	Column      int            `json:"column,omitempty"`
	Path        string         `json:"path,omitempty"`
	Message     string         `json:"message"`
	Why         string         `json:"why"`
	Fix         string         `json:"fix,omitempty"`
	Related     []relatedJSON  `json:"related,omitempty"`
	Exception   *exceptionJSON `json:"exception,omitempty"`
}

type relatedJSON struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
}

type exceptionJSON struct {
	Owner string `json:"owner"`
	Why   string `json:"why"`
	Until string `json:"until"`
}

// JSON returns the whole report, with every check that passed or was skipped, and with the coverage, if there is one.
func JSON(r *check.Report, kinds []coverage.Kind) ([]byte, error) {
	count := r.Count()
	out := list{APIVersion: "tristate.dev/v1alpha1", Kind: "CheckReport", Errors: count[check.Error], Warnings: count[check.Warning],
		Infos: count[check.Info], Coverage: kinds}
	for i := range r.Results {
		result := &r.Results[i]
		one := resultJSON{ID: result.Check.ID, Outcome: result.Outcome, Missing: result.Missing.Names(), Subjects: result.Subjects,
			Dropped: result.Dropped}
		for _, f := range result.Findings {
			one.Findings = append(one.Findings, encode(f))
		}
		for _, f := range result.Known {
			one.Known = append(one.Known, encode(f))
		}
		for _, f := range result.Excepted {
			encoded := encode(f.Finding)
			encoded.Exception = &exceptionJSON{f.Exception.Owner, f.Exception.Why, f.Exception.Until.Format(time.DateOnly)}
			one.Excepted = append(one.Excepted, encoded)
		}
		out.Checks = append(out.Checks, one)
	}
	data, err := json.MarshalIndent(out, "", "  ")
	return append(data, '\n'), err
}

func encode(f *check.Finding) findingJSON {
	out := findingJSON{Level: f.Level, Subject: f.Subject, Fingerprint: f.Fingerprint(), File: f.Position.File, Line: f.Position.Line,
		Column: f.Position.Column, Path: f.Path, Message: f.Message, Why: f.Check.Why, Fix: f.Remedy()}
	for _, related := range f.Related {
		out.Related = append(out.Related, relatedJSON{related.Position.File, related.Position.Line, related.Position.Column, related.Message})
	}
	return out
}
