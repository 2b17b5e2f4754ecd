// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Baseline holds the known findings. It is written once and then only shrinks.
type Baseline struct {
	APIVersion string          `json:"apiVersion"` // tristate.dev/v1alpha1
	Kind       string          `json:"kind"`       // CheckBaseline
	Findings   []BaselineEntry `json:"findings"`
	File       string          `json:"-"`
}

// BaselineEntry is a known finding, with the number of times that it is found.
type BaselineEntry struct {
	Fingerprint string `json:"fingerprint"`
	Check       string `json:"check"`
	Subject     string `json:"subject"`
	Count       int    `json:"count"`
}

const baselineKind = "CheckBaseline"

// ParseBaseline reads a file of [Baseline.Encode].
func ParseBaseline(file string, data []byte) (*Baseline, error) {
	b := &Baseline{}
	if err := json.Unmarshal(data, b); err != nil {
		return nil, fmt.Errorf("baseline %s: %w", file, err)
	}
	if b.Kind != baselineKind {
		return nil, fmt.Errorf("baseline %s: kind is %q, want %s", file, b.Kind, baselineKind)
	}
	b.File = file
	return b, nil
}

// Encode returns the baseline as a file.
func (b *Baseline) Encode() []byte {
	data, _ := json.MarshalIndent(b, "", "  ") // plain structs
	return append(data, '\n')
}

// knows reports whether the nth finding with a fingerprint is known.
func (b *Baseline) knows(fingerprint string, n int) bool {
	if b == nil {
		return false
	}
	for _, e := range b.Findings {
		if e.Fingerprint == fingerprint {
			return n <= e.Count
		}
	}
	return false
}

// Next returns the baseline after a run: every finding above info where there was none before, otherwise the entries that were found again
// and never a new one. Entries of checks that did not run stay.
func (b *Baseline) Next(r *Report) *Baseline {
	out := &Baseline{APIVersion: "tristate.dev/v1alpha1", Kind: baselineKind, Findings: []BaselineEntry{}}
	count := map[string]int{}
	ran := map[string]bool{}
	for i := range r.Results {
		result := &r.Results[i]
		ran[result.Check.ID] = result.Outcome != Skipped
		for _, f := range slices.Concat(result.Findings, result.Known) {
			if f.Level == Info {
				continue
			}
			print := f.Fingerprint()
			if count[print]++; b == nil && count[print] == 1 {
				out.Findings = append(out.Findings, BaselineEntry{print, f.Check.ID, f.Subject, 0})
			}
		}
	}
	if b != nil {
		out.Findings = slices.Clone(b.Findings)
	}
	out.Findings = slices.DeleteFunc(out.Findings, func(e BaselineEntry) bool { return b != nil && ran[e.Check] && count[e.Fingerprint] == 0 })
	for i := range out.Findings {
		if e := &out.Findings[i]; b == nil || ran[e.Check] && count[e.Fingerprint] < e.Count {
			e.Count = count[e.Fingerprint]
		}
	}
	slices.SortFunc(out.Findings, func(a, b BaselineEntry) int {
		return cmp.Or(cmp.Compare(a.Check, b.Check), cmp.Compare(a.Subject, b.Subject))
	})
	return out
}
