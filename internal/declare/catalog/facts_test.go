// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
)

const withFacts = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata:
  name: widgets.example.com
spec:
  for:
    group: example.com
    kind: Widget
  facts:
    - reason: SpecInvalid
      sets:
        Degraded: "True"
        Progressing: False/Failed
        Ready: "False"
      class: terminal
      meaning: The spec is wrong.
      remedy: Correct it.
      message: 'spec: %s'
    - reason: Failed
      sets:
        Progressing: "False"
        Ready: "False"
      class: transient
      meaning: The pass failed.
      retry: 30s
    - reason: Reconciled
      sets:
        Degraded: "False"
        Progressing: "False"
        Ready: "True"
      class: ok
      meaning: All is done.
  conditions:
    - type: Ready
      meaning: It works.
      role: summary
      reasons:
        - reason: Creating
          status: "False"
          class: progress
          meaning: It is being made.
    - type: Progressing
      meaning: It moves.
      polarity: neutral
      reasons:
        - reason: TimedOut
          status: "False"
          class: transient
          meaning: It took too long.
        - reason: Failed
          status: "False"
        - reason: Creating
          status: "True"
          class: progress
          meaning: It is being made.
    - type: Degraded
      meaning: Something fails.
      polarity: negative
`

// TestFacts: the loader makes cells of the facts; a cell that a type lists keeps its place and its keys.
func TestFacts(t *testing.T) {
	sources, err := Parse("widget.yaml", []byte(withFacts))
	if err != nil {
		t.Fatal(err)
	}
	k, err := Compile(sources[0])
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, typ := range k.Declaration.Types {
		for _, r := range typ.Reasons {
			line := []string{typ.Name, string(r.Status), r.Name, string(r.Class), r.Meaning, r.Remedy, r.Message}
			if r.Retry > 0 {
				line = append(line, r.Retry.String())
			}
			got = append(got, strings.Join(line, "|"))
		}
	}
	want := []string{
		"Ready|False|SpecInvalid|terminal|The spec is wrong.|Correct it.|spec: %s",
		"Ready|False|Failed|transient|The pass failed.|||30s",
		"Ready|False|Creating|progress|It is being made.||",
		"Ready|True|Reconciled|ok|All is done.||",
		"Progressing|False|TimedOut|transient|It took too long.||",
		"Progressing|False|Failed|transient|The pass failed.|||30s",
		"Progressing|True|Creating|progress|It is being made.||",
		"Progressing|False|Reconciled|ok|All is done.||",
		"Degraded|True|SpecInvalid|terminal|The spec is wrong.|Correct it.|spec: %s",
		"Degraded|False|Reconciled|ok|All is done.||",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	got = nil
	for i := range k.Facts {
		got = append(got, k.Facts[i].Reason+": "+k.Facts[i].String())
	}
	want = []string{"SpecInvalid: Ready=False, Progressing=False/Failed, Degraded=True", "Failed: Ready=False, Progressing=False",
		"Reconciled: Ready=True, Progressing=False, Degraded=False"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	got = nil
	for _, f := range k.FactsOf("Progressing", "Failed", conditions.False) {
		got = append(got, f.Reason)
	}
	if diff := cmp.Diff([]string{"SpecInvalid", "Failed"}, got); diff != "" {
		t.Errorf("facts of a cell (-want +got):\n%s", diff)
	}
	if !k.HasOwn("Progressing", "Failed", conditions.False) || k.HasOwn("Ready", "Failed", conditions.False) {
		t.Error("a cell is a type's own if the type lists it")
	}
	text, err := k.Source.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withFacts, string(text)); diff != "" {
		t.Errorf("written again (-want +got):\n%s", diff)
	}
}

// TestFactPositions: an error about a cell is placed where the author wrote it, in the fact or with the type.
func TestFactPositions(t *testing.T) {
	sources, err := Parse("widget.yaml", []byte(withFacts))
	if err != nil {
		t.Fatal(err)
	}
	for path, line := range map[string]int{
		"spec.conditions[0].reasons[0].reason": 10, // SpecInvalid of Ready: the fact
		"spec.conditions[0].reasons[2].reason": 38, // Creating of Ready: the type
		"spec.conditions[1].reasons[1].status": 51, // Failed of Progressing: the type
		"spec.conditions[2].reasons[1]":        26, // Reconciled of Degraded: the fact
	} {
		if got := sources[0].At(path).Line; got != line {
			t.Errorf("%s is in line %d, want %d", path, got, line)
		}
	}
}

// TestRetry: the delay of a reason reaches RequeueAt of a commit, and its transient condition is no error for the queue.
func TestRetry(t *testing.T) {
	set, err := Load(map[string][]byte{"widget.yaml": []byte(withFacts)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := set.Kinds()[0].Declaration.Begin(1, nil, now)
	p.Report("Ready", conditions.False, "Failed", "no answer")
	p.Report("Progressing", conditions.False, "Failed", "no answer")
	r := p.Commit()
	if advice := r.Advice(nil); !r.RequeueAt.Equal(now.Add(30*time.Second)) || advice.Err != nil || advice.Wait(now) != 30*time.Second {
		t.Errorf("look again at %v, the queue: %+v", r.RequeueAt, advice)
	}
}

// TestFactsAreCells: a catalog with facts declares what it declares when each cell is listed with its type.
func TestFactsAreCells(t *testing.T) {
	sources, err := Parse("widget.yaml", []byte(withFacts))
	if err != nil {
		t.Fatal(err)
	}
	with, err := Compile(sources[0])
	if err != nil {
		t.Fatal(err)
	}
	plain := sources[0].Document
	plain.Spec.Facts = nil
	text, err := plain.YAML()
	if err != nil {
		t.Fatal(err)
	}
	set, err := Load(map[string][]byte{"plain.yaml": text})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(set.Kinds()[0].Declaration, with.Declaration); diff != "" {
		t.Errorf("without facts and with them (-want +got):\n%s", diff)
	}
}

// TestFactDeadline: the deadline of a fact is that of the types that have the reason that follows, and it is an error where none has.
func TestFactDeadline(t *testing.T) {
	text := `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: widgets.example.dev}
spec:
  for: {group: example.dev, kind: Widget, versions: [v1]}
  dialect: core
  waits: status
  facts:
  - {reason: Stalled, sets: {Progressing: "False"}, class: transient, meaning: It took too long.}
  - {reason: Rolling, sets: {Ready: "False", Progressing: "True"}, class: progress, meaning: It is rolled out., deadline: {after: 10m, then: Stalled}}
  - {reason: Done, sets: {Ready: "True", Progressing: "False"}, class: ok, meaning: It is there.}
  conditions:
  - {type: Ready, role: summary, meaning: It serves.}
  - {type: Progressing, polarity: neutral, meaning: Work is left.}
`
	compile := func(text string) (*Kind, error) {
		sources, err := Parse("widget.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return Compile(sources[0])
	}
	k, err := compile(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, typ := range k.Declaration.Types {
		for _, r := range typ.Reasons {
			if r.Deadline != nil {
				got = append(got, typ.Name+"/"+r.Name+" "+r.Deadline.After.String()+" "+r.Deadline.Then)
			}
		}
	}
	if diff := cmp.Diff([]string{"Progressing/Rolling 10m0s Stalled"}, got); diff != "" {
		t.Errorf("cells with a deadline (-want +got):\n%s", diff)
	}
	_, err = compile(strings.Replace(text, "then: Stalled", "then: Stuck", 1))
	if err == nil || !strings.Contains(err.Error(), "widget.yaml:10") ||
		!strings.Contains(err.Error(), "no condition with reason Rolling has the reason Stuck") {
		t.Errorf("a reason that no type has: %v", err)
	}
}
