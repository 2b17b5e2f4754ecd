// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/infer"
)

// TestLiterals: the conditions that a controller sets with meta.SetStatusCondition are read with their types and statuses; no reason of
// them is guessed from the order of constants.
func TestLiterals(t *testing.T) {
	d := infer.New(infer.Options{Kinds: []string{"Queue.acme.corp"}, Version: "v1"})
	const source = `package queue

const (
	ConditionReady    = "Ready"
	ConditionDegraded = "Degraded"
	ReasonReconciled  = "Reconciled"
	ReasonBroken      = "BrokerUnreachable"
)

func set(q *Queue, err error) {
	if err != nil {
		meta.SetStatusCondition(&q.Status.Conditions, metav1.Condition{Type: ConditionReady, Status: metav1.ConditionFalse, Reason: ReasonBroken, Message: err.Error()})
		meta.SetStatusCondition(&q.Status.Conditions, metav1.Condition{Type: ConditionDegraded, Status: metav1.ConditionTrue, Reason: ReasonBroken, Message: "no broker answers"})
		return
	}
	meta.SetStatusCondition(&q.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: ReasonReconciled})
}
`
	if err := d.Go("queue.go", []byte(source)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, document := range d.Documents() {
		for _, c := range document.Spec.Conditions {
			for _, r := range c.Reasons {
				got = append(got, strings.Join([]string{document.Spec.For.Kind, c.Type, string(r.Status), r.Reason}, " "))
			}
		}
	}
	want := []string{"Queue Ready False BrokerUnreachable", "Queue Ready True Reconciled", "Queue Degraded True BrokerUnreachable"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
