// SPDX-License-Identifier: Apache-2.0

package capi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/capi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// status is the status of a kind of a user.
type status struct {
	Conditions capi.Conditions `json:"conditions,omitempty"`
}

// The types of a kind are constants.
const ready, scaling capi.ConditionType = "Ready", "ScalingUp"

// TestWire: the status has the fields of Cluster API and no other, and severity, reason and message only where they are set.
func TestWire(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s := status{capi.Conditions{{Type: ready, Status: metav1.ConditionTrue, LastTransitionTime: at},
		{Type: scaling, Status: metav1.ConditionTrue, Severity: capi.ConditionSeverityInfo, LastTransitionTime: at, Reason: "MachinesMissing",
			Message: "2 of 3"}}}
	data, err := json.Marshal(s)
	const want = `{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"},` +
		`{"type":"ScalingUp","status":"True","severity":"Info","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"MachinesMissing","message":"2 of 3"}]}`
	if err != nil || string(data) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, data, want)
	}
	var back status
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(status{capi.Of(back.Conditions.List())}); err != nil || string(again) != want {
		t.Errorf("read and written again: %v\n%s\nwant\n%s", err, again, want)
	}
}

// TestDeepCopy: a copy shares nothing with the original, and nil stays nil.
func TestDeepCopy(t *testing.T) {
	list := capi.Conditions{{Type: ready, Status: metav1.ConditionFalse}}
	copied := list.DeepCopy()
	copied[0].Status = metav1.ConditionTrue
	one := list[0].DeepCopy()
	one.Reason = "Changed"
	if list[0].Status != metav1.ConditionFalse || list[0].Reason != "" || capi.Conditions(nil).DeepCopy() != nil ||
		(*capi.Condition)(nil).DeepCopy() != nil {
		t.Errorf("%+v", list)
	}
}

// TestPass: a pass of a kind of dialect capi-v1beta1 begins with the status and ends in it; the severity of a negative condition goes with
// True.
func TestPass(t *testing.T) {
	k := &conditions.Kind{Kind: "Widget", Dialect: conditions.DialectCAPIv1beta1, Types: []conditions.Type{
		{Name: "Ready", Role: conditions.RoleSummary, Imported: true, Summary: &conditions.Summary{}},
		{Name: "ScalingUp", Polarity: conditions.Negative, Role: conditions.RoleDependent, Reasons: []conditions.Reason{
			{Name: "MachinesMissing", Status: conditions.True, Severity: conditions.SeverityInfo, Class: conditions.ClassProgress},
			{Name: "Complete", Status: conditions.False, Class: conditions.ClassOK}}},
	}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := status{}
	for _, step := range []struct {
		status   conditions.Status
		reason   string
		ready    metav1.ConditionStatus
		severity capi.ConditionSeverity
	}{
		{conditions.True, "MachinesMissing", metav1.ConditionFalse, capi.ConditionSeverityInfo},
		{conditions.False, "Complete", metav1.ConditionTrue, capi.ConditionSeverityNone},
	} {
		p := k.Begin(1, s.Conditions.List(), at)
		p.Report("ScalingUp", step.status, step.reason, "")
		result := p.Commit()
		s.Conditions = capi.Of(result.Conditions())
		if len(result.Errors) > 0 || len(s.Conditions) != 2 || s.Conditions[0].Status != step.ready ||
			s.Conditions[0].Severity != step.severity ||
			s.Conditions[1].Severity != step.severity {
			t.Errorf("%s: %v %+v", step.reason, result.Errors, s.Conditions)
		}
	}
}
