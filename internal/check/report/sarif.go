// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"path/filepath"

	"github.com/tristate/tristate/internal/check"
)

// The part of SARIF 2.1.0 (OASIS, section 3) that findings need.
type (
	sarif struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		Help    sarifText   `json:"help"`
		Default sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Related      []sarifLocation    `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	sarifLocation struct {
		ID       *int           `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// SARIF returns the report in SARIF 2.1.0. Rules are all checks that ran; excepted and known findings are suppressed results.
func SARIF(r *check.Report) ([]byte, error) {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "tristate", Rules: []sarifRule{}}
	for i := range r.Results {
		result := &r.Results[i]
		if result.Outcome == check.Skipped {
			continue
		}
		c := result.Check
		at := len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: c.ID, Short: sarifText{Text: c.Title},
			Full: sarifText{Text: c.Title + ": " + c.Why},
			Help: sarifText{Text: c.Doc, Markdown: c.Doc}, Default: sarifConfig{sarifLevel(c.Level)}})
		for _, f := range result.Findings {
			run.Results = append(run.Results, sarifOf(f, at, nil))
		}
		for _, f := range result.Known {
			run.Results = append(run.Results, sarifOf(f, at, &sarifSuppression{"external", "listed in the baseline"}))
		}
		for _, f := range result.Excepted {
			run.Results = append(run.Results, sarifOf(f.Finding, at, &sarifSuppression{"external", f.Exception.Why}))
		}
	}
	data, err := json.MarshalIndent(sarif{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}},
		"", "  ")
	return append(data, '\n'), err
}

func sarifLevel(l check.Level) string {
	if l == check.Info {
		return "note"
	}
	return string(l)
}

func sarifOf(f *check.Finding, rule int, suppressed *sarifSuppression) sarifResult {
	text := f.Message
	if fix := f.Remedy(); fix != "" {
		text += ". " + fix
	}
	out := sarifResult{RuleID: f.Check.ID, RuleIndex: rule, Level: sarifLevel(f.Level), Message: sarifText{Text: text},
		Locations:    []sarifLocation{place(f.Position.File, f.Position.Line, f.Position.Column, f.Subject)},
		Fingerprints: map[string]string{"tristate/v1": f.Fingerprint()}}
	for i, related := range f.Related {
		at := place(related.Position.File, related.Position.Line, related.Position.Column, "")
		at.ID, at.Message = &i, &sarifText{Text: related.Message}
		out.Related = append(out.Related, at)
	}
	if suppressed != nil {
		out.Suppressions = []sarifSuppression{*suppressed}
	}
	return out
}

func place(file string, line, column int, subject string) sarifLocation {
	var out sarifLocation
	if file != "" {
		out.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: filepath.ToSlash(file)}}
		if line > 0 {
			out.Physical.Region = &sarifRegion{StartLine: line, StartColumn: column}
		}
	}
	if subject != "" {
		out.Logical = []sarifLogical{{subject}}
	}
	return out
}
