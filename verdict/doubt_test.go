// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/verdict"
)

// A healthy condition with a reason of failure is a doubt wherever it is in the list, and however the verdict is asked for; unless its
// author calls it information.
func TestJudge_doubt(t *testing.T) {
	condition := func(conditionType, reason, severity string) map[string]any {
		return map[string]any{"type": conditionType, "status": "True", "reason": reason, "severity": severity}
	}
	ready := condition("Ready", "", "")
	doubt := []string{"reports Ready, but condition StorageBound is True"}
	for name, test := range map[string]struct {
		status map[string]any
		want   []string
	}{
		"before the summary": {map[string]any{"conditions": []any{condition("StorageBound", "ResizeFailed", ""), ready}}, doubt},
		"after the summary":  {map[string]any{"conditions": []any{ready, condition("StorageBound", "ResizeFailed", "")}}, doubt},
		"information":        {map[string]any{"conditions": []any{condition("DeadLetterSinkResolved", "DeadLetterSinkNotConfigured", "Info"), ready}}, nil},
		"with another field": {map[string]any{"url": "u", "conditions": []any{ready, condition("StorageBound", "ResizeFailed", "")}}, doubt},
	} {
		object := map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp", "status": test.status}
		v := new(verdict.Engine).Judge(object, time.Time{})
		explained, _ := new(verdict.Engine).Explain(object, time.Time{})
		if diff := cmp.Diff(test.want, v.Contradictions); diff != "" || v.Status != verdict.Current {
			t.Errorf("%s: %s, -want +got\n%s", name, v.Status, diff)
		}
		if diff := cmp.Diff(v.Contradictions, explained.Contradictions); diff != "" {
			t.Errorf("%s: -Judge +Explain\n%s", name, diff)
		}
	}
}

// A summary that is Unknown with a word of failure is a failure, unless the word is about the look of its author.
func TestJudge_unknown(t *testing.T) {
	for reason, want := range map[string]verdict.Status{
		"PartialTriggerError": verdict.Failed, "InvalidConfiguration": verdict.Failed, "InspectionFailed": verdict.InProgress,
		"ConnectionTimeout": verdict.InProgress, "Reconciling": verdict.InProgress,
	} {
		v := new(verdict.Engine).Judge(map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp", "status": map[string]any{
			"conditions": []any{map[string]any{"type": "Available", "status": "Unknown", "reason": reason}}}}, time.Time{})
		if v.Status != want {
			t.Errorf("%s: want %s, got %s", reason, want, v.Status)
		}
	}
}
