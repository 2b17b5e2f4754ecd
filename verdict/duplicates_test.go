// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
)

// Of two conditions of one type that differ in their severity alone the same one counts, in any order.
func TestJudge_duplicates(t *testing.T) {
	one := map[string]any{"type": "Ready", "status": "False", "reason": "ProvisioningFailed", "message": "no quota", "severity": "Error"}
	two := map[string]any{"type": "Ready", "status": "False", "reason": "ProvisioningFailed", "message": "no quota", "severity": "Warning"}
	list := []any{one, two}
	var seen []conditions.Severity
	for range 2 {
		v := new(verdict.Engine).Judge(map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp",
			"status": map[string]any{"conditions": slices.Clone(list)}}, time.Time{})
		seen = append(seen, v.Severity)
		slices.Reverse(list)
	}
	if diff := cmp.Diff([]conditions.Severity{"Error", "Error"}, seen); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Of a summary and a detail with the same status the one with a message is shown.
func TestJudge_detail(t *testing.T) {
	condition := func(kind, reason, message string) map[string]any {
		return map[string]any{"type": kind, "status": "False", "reason": reason, "message": message}
	}
	for name, test := range map[string]struct {
		list []any
		want string
	}{
		"the detail has it": {[]any{condition("Ready", "DependencyFailed", ""), condition("DatabaseReady", "ConnectionRefused",
			"connection refused")}, "DatabaseReady ConnectionRefused: connection refused"},
		"the summary has it": {[]any{condition("Ready", "DependencyFailed", "no database"), condition("DatabaseReady", "ConnectionRefused",
			"")}, "Ready DependencyFailed: no database"},
		"both have one": {[]any{condition("Ready", "DependencyFailed", "no database"), condition("DatabaseReady", "ConnectionRefused",
			"connection refused")}, "Ready DependencyFailed: no database"},
		"the detail is progress": {[]any{condition("Ready", "ProvisioningFailed", ""), condition("DatabaseReady", "WaitingForVolume", "not yet")},
			"Ready ProvisioningFailed: condition Ready is False"},
	} {
		for range 2 {
			v := new(verdict.Engine).Judge(map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp",
				"status": map[string]any{"conditions": slices.Clone(test.list)}}, time.Time{})
			if diff := cmp.Diff(test.want, v.Type+" "+v.Reason+": "+v.Message); diff != "" {
				t.Errorf("%s: -want +got\n%s", name, diff)
			}
			slices.Reverse(test.list)
		}
	}
}

// Of several conditions of one type the newest counts, in any order: some controllers append a condition and keep the former ones.
func TestJudge_newest(t *testing.T) {
	condition := func(status, at string) any {
		return map[string]any{"type": "Ready", "status": status, "reason": map[string]string{"True": "Ready", "False": "InstallFailed"}[status],
			"lastTransitionTime": at}
	}
	const early, late = "2026-05-01T08:00:00Z", "2026-05-01T09:00:00Z"
	for name, test := range map[string]struct {
		list []any
		want verdict.Status
	}{
		"mended":             {[]any{condition("False", early), condition("True", late)}, verdict.Current},
		"broken":             {[]any{condition("True", early), condition("False", late)}, verdict.Failed},
		"at the same time":   {[]any{condition("True", early), condition("False", early)}, verdict.Failed},
		"without times":      {[]any{condition("True", ""), condition("False", "")}, verdict.Failed},
		"one without a time": {[]any{condition("True", late), condition("False", "")}, verdict.Failed},
	} {
		for range 2 {
			v := new(verdict.Engine).Judge(map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp",
				"status": map[string]any{"conditions": slices.Clone(test.list)}}, time.Time{})
			if v.Status != test.want {
				t.Errorf("%s: want %s, got %s", name, test.want, v.Status)
			}
			slices.Reverse(test.list)
		}
	}
}
