// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// Case is an object with the verdict that the rules of its kind must give.
type Case struct {
	// Name says what the case shows; it is unique in its file.
	Name   string         `json:"name"`
	Object map[string]any `json:"object"`
	// Verdict is compared; Reason, Message and Ready are where they are given.
	Verdict verdict.Status `json:"verdict"`
	Reason  string         `json:"reason,omitempty"`
	Message string         `json:"message,omitempty"`
	Ready   *bool          `json:"ready,omitempty"`
	// Now is the time of the judgement. Default: 2026-01-01T00:00:00Z.
	Now time.Time `json:"now,omitzero"`
}

// ReadCases reads a file of cases: a YAML or JSON list. Reading is strict.
func ReadCases(file string, data []byte) ([]Case, error) {
	raw, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	var cases []Case
	if err := decoder.Decode(&cases); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	names := map[string]bool{}
	for i := range cases {
		c := &cases[i]
		if c.Name == "" || names[c.Name] {
			return nil, fmt.Errorf("%s: [%d].name: %q is empty or given twice", file, i, c.Name)
		}
		names[c.Name] = true
		status, err := verdict.ParseStatus(string(c.Verdict))
		if err != nil {
			return nil, fmt.Errorf("%s: case %q: %w", file, c.Name, err)
		}
		c.Verdict = status
		if c.Object["kind"] == nil {
			return nil, fmt.Errorf("%s: case %q: object has no kind", file, c.Name)
		}
		if c.Now.IsZero() {
			c.Now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		c.Object, _ = plain(c.Object).(map[string]any)
	}
	return cases, nil
}

// plain turns numbers into int64, or float64 where they are not whole, as an API client does.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = plain(item)
		}
	case []any:
		for i, item := range v {
			v[i] = plain(item)
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		float, _ := v.Float64()
		return float
	}
	return value
}

// Outcome is what came of a case.
type Outcome struct {
	Case    Case
	Verdict verdict.Verdict
	// Wrong says what is not as the case has it; empty when all is.
	Wrong []string
}

// Run judges the object of a case.
func (c Case) Run(e *verdict.Engine) Outcome {
	out := Outcome{Case: c, Verdict: e.Judge(c.Object, c.Now)}
	expect := func(what, want, got string) {
		if want != got {
			out.Wrong = append(out.Wrong, fmt.Sprintf("%s: want %s, got %s", what, want, got))
		}
	}
	v := &out.Verdict
	expect("verdict", string(c.Verdict), string(v.Status))
	if c.Reason != "" {
		expect("reason", c.Reason, v.Reason)
	}
	if c.Message != "" {
		expect("message", c.Message, v.Message())
	}
	if c.Ready != nil {
		expect("ready", fmt.Sprint(*c.Ready), fmt.Sprint(v.Ready))
	}
	return out
}

// Untested lists the rules of a set that decided no outcome, as NAME/verdicts[i] and NAME/states[i], by the names of their
// catalogs.
func Untested(set *catalog.Set, outcomes []Outcome) []string {
	decided := map[string]bool{}
	for i := range outcomes {
		decided[outcomes[i].Verdict.Rule] = true
	}
	var out []string
	for _, k := range set.Kinds() {
		for _, name := range newRules(k).names() {
			if !decided[name] {
				out = append(out, strings.TrimPrefix(name, "catalog/"))
			}
		}
	}
	slices.Sort(out)
	return out
}
