// SPDX-License-Identifier: Apache-2.0

package setters_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/proof/oracle/setters"
)

// cond returns a condition, with its time given in minutes.
func cond(name string, s conditions.Status, reason, message string, minutes int) *conditions.Condition {
	c := conditions.Condition{}
	c.Type, c.Status, c.Reason, c.Message = name, s, reason, message
	c.LastTransitionTime.Time = time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC)
	return &c
}

// parseList reads "Ready=True/Reason@3": type, status, reason and generation of each condition.
func parseList(t *testing.T, s string) []conditions.Condition {
	t.Helper()
	var out []conditions.Condition
	for entry := range strings.FieldsSeq(s) {
		name, rest, _ := strings.Cut(entry, "=")
		status, rest, _ := strings.Cut(rest, "/")
		reason, generation, _ := strings.Cut(rest, "@")
		c := *cond(name, conditions.Status(status), reason, "", len(generation))
		c.ObservedGeneration = int64(len(generation)) // a digit each
		out = append(out, c)
	}
	return out
}

func formatList(list []conditions.Condition) string {
	var out []string
	for _, c := range list {
		out = append(out, c.Type+"="+string(c.Status)+"/"+c.Reason+"@"+strings.Repeat("1", int(c.ObservedGeneration)))
	}
	return strings.Join(out, " ")
}

func TestPatch(t *testing.T) {
	tests := map[string]struct {
		before, after, latest string
		o                     setters.PatchOptions
		want                  string
		conflicts             []string
	}{
		"nothing changed": {before: "A=True/x@1", after: "A=True/x@1", latest: "B=True/x@1", want: "B=True/x@1"},
		"added, changed and removed": {before: "A=True/x@1 B=True/x@1", after: "A=False/y@1 C=True/x@1",
			latest: "B=True/x@1 Z=True/z@1 A=True/x@1", want: "A=False/y@1 C=True/x@1 Z=True/z@1"},
		"somebody else came to the same": {before: "A=True/x@1", after: "A=False/y@1", latest: "A=False/y@1", want: "A=False/y@1"},
		"a conflict hinders nothing else": {
			before: "A=True/x@1 B=True/x@1", after: "A=False/y@1 B=False/y@1", latest: "A=Unknown/z@1 B=True/x@1", want: "A=Unknown/z@1 B=False/y@1",
			conflicts: []string{`condition "A": cannot set it: another writer wrote Unknown with reason "z"`},
		},
		"what is owned is right": {
			before: "A=True/x@1", after: "A=False/y@1", latest: "A=Unknown/z@1",
			o: setters.PatchOptions{Owned: []string{"A"}}, want: "A=False/y@1",
		},
		"removed by somebody else": {
			before: "A=True/x@1 B=True/x@1", after: "A=False/x@1", latest: "", want: "",
			conflicts: []string{`condition "A": cannot set it: another writer removed it`},
		},
		"changed by somebody else before it is removed": {
			before: "A=True/x@1", after: "", latest: "A=True/z@1", want: "A=True/z@1",
			conflicts: []string{`condition "A": cannot remove it: another writer wrote True with reason "z"`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			latest := parseList(t, tt.latest)
			got, err := setters.Diff(parseList(t, tt.before), parseList(t, tt.after)).Apply(latest, tt.o)
			if diff := cmp.Diff(tt.want, formatList(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.latest, formatList(latest)); diff != "" {
				t.Errorf("the given list was changed (-want +got):\n%s", diff)
			}
			var conflicts []string
			if joined, ok := err.(interface{ Unwrap() []error }); ok {
				for _, err := range joined.Unwrap() {
					var c *setters.ConflictError
					if !errors.As(err, &c) {
						t.Fatalf("want a ConflictError, got %v", err)
					}
					conflicts = append(conflicts, c.Error())
				}
			}
			if diff := cmp.Diff(tt.conflicts, conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}
