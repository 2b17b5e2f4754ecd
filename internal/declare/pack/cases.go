// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/verdict"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Case is an object with the verdict that the rules of its kind must have.
type Case struct {
	// Name describes the case; it is unique in its file.
	Name   string         `json:"name"`
	Object map[string]any `json:"object"`
	// Verdict is compared, and Reason, Message and Ready if they are set.
	Verdict verdict.Status `json:"verdict"`
	Reason  string         `json:"reason,omitempty"`
	Message string         `json:"message,omitempty"`
	Ready   *bool          `json:"ready,omitempty"`
	// Now is the time at which the object is judged. Default: 2026-01-01T00:00:00Z.
	Now time.Time `json:"now,omitzero"`
}

// ReadCases reads a file of cases: a YAML or JSON list. Reading is strict.
func ReadCases(file string, data []byte) ([]Case, error) {
	var cases []Case
	if err := decode(file, data, &cases); err != nil {
		return nil, err
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
	}
	return cases, nil
}

// decode reads YAML or JSON. Unknown and repeated fields are errors; numbers are int64, or float64 if they are not whole, as from an API
// client.
func decode(file string, data []byte, into any) error {
	raw, err := yaml.YAMLToJSONStrict(data)
	if err == nil {
		var strict []error
		strict, err = kjson.UnmarshalStrict(raw, into)
		err = errors.Join(append(strict, err)...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Outcome is the result of a case.
type Outcome struct {
	Case    Case
	Verdict verdict.Verdict
	// Wrong lists the differences from the case; empty if there are none.
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
		expect("message", c.Message, v.Message)
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
