// SPDX-License-Identifier: Apache-2.0

package cells_test

import (
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/cells"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLeave: "the closed set": by the choice document no cell beyond the tables is written, and each cell of them is.
func TestLeave(t *testing.T) {
	if leave, err := cells.Complete.Leave("vworkspace"); leave != nil || err != nil {
		t.Fatalf("complete leaves cells out, %v", err)
	}
	leave, err := cells.Document.Leave("vworkspace")
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[[4]string]bool{
		{"Operation", "Running", "False", "EngineEnded"}:                   true,
		{"Operation", "Blocked", "False", "Unblocked"}:                     true,
		{"Operation", "Running", "False", "EngineNotStarted"}:              false,
		{"ApplicationInstance", "Blocked", "False", "Unblocked"}:           false,
		{"ApplicationInstance", "Ready", "False", "EndpointUnreachable"}:   false, // "any optional generic readiness checks pass"
		{"ApplicationInstance", "Degraded", "True", "EndpointUnreachable"}: false,
		{"Cluster", "Connected", "False", "ControlPlaneUnreachable"}:       false,
	} {
		c := conditions.Condition{Condition: metav1.Condition{Type: cell[1], Status: metav1.ConditionStatus(cell[2]), Reason: cell[3]}}
		if got := leave(cell[0], c); got != want {
			t.Errorf("%v is left out: %v, want %v", cell, got, want)
		}
	}
	for text, ok := range map[string]bool{"complete": true, "document": true, "": false, "closed": false} {
		if _, err := cells.Parse(text); err == nil != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
