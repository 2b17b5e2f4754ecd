// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/declare/english"
)

type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit returns a suite for each family and a case for each check: failed where it has findings at the level or worse, skipped where
// evidence is missing.
func JUnit(r *check.Report, files map[string][]byte, least check.Level) ([]byte, error) {
	var out junitSuites
	at := map[string]int{}
	for i := range r.Results {
		result := &r.Results[i]
		family := result.Check.Family()
		n, there := at[family]
		if !there {
			n = len(out.Suites)
			at[family] = n
			out.Suites = append(out.Suites, junitSuite{Name: "tristate check " + family})
		}
		suite := &out.Suites[n]
		one := junitCase{Class: "check." + family, Name: result.Check.ID, Time: fmt.Sprintf("%.3f", result.Took.Seconds())}
		var text strings.Builder
		failed := 0
		for _, f := range result.Findings {
			if f.Level.Rank() <= least.Rank() {
				finding(&text, f, files)
				failed++
			}
		}
		switch {
		case failed > 0:
			one.Failure = &junitFailure{Type: string(result.Check.Level), Message: english.Count(failed, "finding") + ": " + result.Check.Title,
				Text: text.String()}
			suite.Failures++
		case result.Outcome == check.Skipped:
			one.Skipped = &junitSkipped{"no " + result.Missing.String()}
			suite.Skipped++
		case len(result.Excepted) > 0:
			one.Out = english.Count(len(result.Excepted), "finding") + " excepted"
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, one)
	}
	data, err := xml.MarshalIndent(out, "", " ")
	return append([]byte(xml.Header), append(data, '\n')...), err
}
