// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
)

// TestKnows: an answer of Current is compared with each condition for which no table has a word, also of types that a table has other words for,
// and with fields for errors that no rule reads.
func TestKnows(t *testing.T) {
	e := engine(t, `
  verdicts:
  - {when: "condition(self, 'Dusty').status == 'True'", verdict: Degraded}
  states:
  - {condition: Updated, words: {Unknown: InProgress, False/Later: InProgress}}
  - {condition: Ready, words: {"True": Current}}
  - {condition: Tested, words: {False/Broken: Failed}}
  ignores: [Spare, status.errors]
`)
	tests := map[string]struct {
		conditions string
		want       verdict.Status
	}{
		"a status that the table does not have":       {`{type: Updated, status: "False", reason: Error}`, verdict.Degraded},
		"a status that it has":                        {`{type: Updated, status: "Unknown"}`, verdict.InProgress},
		"a row after the answer has the reason":       {`{type: Tested, status: "False", reason: Broken}`, verdict.Current},
		"a row after the answer has another reason":   {`{type: Tested, status: "False", reason: ExitFailed}`, verdict.Degraded},
		"an expression reads the type":                {`{type: Dusty, status: "False", reason: CleaningFailed}`, verdict.Current},
		"a type that is ignored":                      {`{type: Spare, status: "False", reason: CheckFailed}`, verdict.Current},
		"a type that nothing of the catalog mentions": {`{type: Paint, status: "False", reason: CoatFailed}`, verdict.Degraded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := lamp(t, `status: {conditions: [{type: Ready, status: "True"}, `+test.conditions+`]}`)
			if v := e.Judge(object, now); v.Status != test.want {
				t.Errorf("got %s by %s, want %s", v.Status, v.Rule, test.want)
			}
		})
	}
}

func TestReads(t *testing.T) {
	e := engine(t, `
  states:
  - {path: status.phase, message: status.lastErrorMessage, words: {Lit: Current}}
  ignores: [status.errors]
`)
	tests := map[string]struct {
		fields string
		want   verdict.Status
	}{
		"a field for errors":                    {`errorMessage: no power`, verdict.Degraded},
		"a field for errors that holds none":    {`errorMessage: ""`, verdict.Current},
		"the message of a row is not judged by": {`lastErrorMessage: no power`, verdict.Degraded},
		"a field that is ignored":               {`errors: [no power]`, verdict.Current},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if v := e.Judge(lamp(t, `status: {phase: Lit, `+test.fields+`}`), now); v.Status != test.want {
				t.Errorf("got %s by %s, want %s", v.Status, v.Rule, test.want)
			}
		})
	}
}

// TestProgressIsDoubted: an answer of InProgress has a contradiction if a condition that no rule reads reports a final failure.
func TestProgressIsDoubted(t *testing.T) {
	e := engine(t, `
  states:
  - {path: status.phase, words: {Warming: InProgress}}
  ignores: [Spare]
`)
	tests := map[string]struct {
		conditions string
		want       []string
	}{
		"a failure":                   {`{type: Stalled, status: "True", reason: FuseBlown, message: the fuse is blown}`, []string{"claims InProgress, but Stalled: the fuse is blown"}},
		"a summary that failed":       {`{type: Ready, status: "False", reason: InstallFailed, message: no such chart}`, []string{"claims InProgress, but Ready: no such chart"}},
		"a summary that waits":        {`{type: Ready, status: "False", reason: WaitingForBulb}`, nil},
		"what is missing may come":    {`{type: Ready, status: "False", reason: BulbNotFound}`, nil},
		"words that nobody knows":     {`{type: Painted, status: "False", reason: MoonInTheSeventhHouse}`, nil},
		"a type that is ignored":      {`{type: Spare, status: "False", reason: CheckFailed}`, nil},
		"a type that is as it should": {`{type: Painted, status: "True", reason: Done}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v := e.Judge(lamp(t, `status: {phase: Warming, conditions: [`+test.conditions+`]}`), now)
			if diff := cmp.Diff(test.want, v.Contradictions()); v.Status != verdict.InProgress || diff != "" {
				t.Errorf("%s by %s, doubts (-want +got):\n%s", v.Status, v.Rule, diff)
			}
		})
	}
}
