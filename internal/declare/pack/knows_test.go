// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
)

// TestKnows: an answer of Current is compared with each condition for which no table has a word, also of types that a table has other words
// for, and with fields for errors that no rule reads.
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

// TestOtherAnswersAreProvisional: an answer of InProgress or Suspended stands only if no condition that no rule reads reports a failure.
func TestOtherAnswersAreProvisional(t *testing.T) {
	e := engine(t, `
  verdicts:
  - {when: "self.status.doors.exists(d, d.conditions.exists(c, c.type == 'Open'))", verdict: Degraded}
  states:
  - {path: status.phase, words: {Warming: InProgress, Dark: Suspended}}
  ignores: [Spare]
`)
	tests := map[string]struct {
		status string
		want   verdict.Status
		doubts []string
	}{
		"a failure": {`conditions: [{type: Stalled, status: "True", reason: FuseBlown, message: the fuse is blown}]`,
			verdict.Failed, []string{"reports Warming, but the fuse is blown"}},
		"a summary that failed": {`conditions: [{type: Ready, status: "False", reason: InstallFailed, message: no such chart}]`,
			verdict.Failed, []string{"reports Warming, but no such chart"}},
		"a failure of what serves": {`conditions: [{type: Ready, status: "True"}, {type: Stalled, status: "True", reason: FuseBlown}]`,
			verdict.Degraded, nil},
		"a summary that waits":     {`conditions: [{type: Ready, status: "False", reason: WaitingForBulb}]`, verdict.InProgress, nil},
		"what is missing may come": {`conditions: [{type: Ready, status: "False", reason: BulbNotFound}]`, verdict.InProgress, nil},
		"what is missing hides none": {
			`conditions: [{type: Ready, status: "False", reason: BulbNotFound}], bulbs: [{conditions: [{type: BulbReady, status: "False", reason: LightingFailed}]}]`, verdict.Failed, nil},
		"words that nobody knows": {`conditions: [{type: Painted, status: "False", reason: MoonInTheSeventhHouse}]`, verdict.InProgress,
			nil},
		"a type that is ignored":      {`conditions: [{type: Spare, status: "False", reason: CheckFailed}]`, verdict.InProgress, nil},
		"a type that is as it should": {`conditions: [{type: Painted, status: "True", reason: Done}]`, verdict.InProgress, nil},
		"the reason of the answer":    {`conditions: [{type: Painted, status: "False", reason: Warming}]`, verdict.InProgress, nil},
		"a component that failed":     {`bulb: {conditions: [{type: BulbReady, status: "False", reason: LightingFailed}]}`, verdict.Failed, nil},
		"an item that failed": {`bulbs: [{conditions: [{type: BulbReady, status: "False", reason: LightingFailed}]}]`, verdict.Failed,
			nil},
		"an item that a rule reads": {`doors: [{conditions: [{type: BulbReady, status: "False", reason: LightingFailed}]}]`, verdict.Failed,
			nil},
		"a type that a rule compares": {
			`doors: [{conditions: [{type: Shut, status: "True"}]}], bulbs: [{conditions: [{type: Open, status: "False", reason: OpeningFailed}]}]`,
			verdict.InProgress, nil},
		"a failed item of what is off": {`phase: Dark, bulbs: [{conditions: [{type: BulbReady, status: "False", reason: LightingFailed}]}]`,
			verdict.Failed, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status := test.status
			if !strings.HasPrefix(status, "phase") {
				status = "phase: Warming, " + status
			}
			v := e.Judge(lamp(t, `status: {`+status+`}`), now)
			if v.Status != test.want {
				t.Errorf("%s by %s, want %s", v.Status, v.Rule, test.want)
			}
			if diff := cmp.Diff(test.doubts, v.Contradictions); test.doubts != nil && diff != "" {
				t.Errorf("doubts (-want +got):\n%s", diff)
			}
		})
	}
}
