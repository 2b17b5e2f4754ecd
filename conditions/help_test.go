// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/merge"
	. "github.com/tristate/tristate/conditions/rollup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var opposite = merge.Opposite

// The stock reasons of the documentation.
const (
	reasonHealthy     = "Healthy"
	reasonUnhealthy   = "DependentsUnhealthy"
	reasonUnknown     = "DependentsUnknown"
	reasonNotReported = "NotReported"
	reasonStale       = "Stale"
	reasonFailed      = "Failed"
	reasonUndeclared  = "Undeclared"
)

const (
	weightHealthy   = true
	weightUnhealthy = false
)

// statusOf returns the good or the bad status of a polarity.
func statusOf(good bool, p Polarity) Status {
	if good != (p == Negative) {
		return True
	}
	return False
}

var (
	t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	t1 = t0.Add(time.Hour)
	t2 = t1.Add(time.Hour)
)

// cond makes a condition observed at a generation.
func cond(conditionType string, s Status, reason, message string, generation int64, at time.Time) Condition {
	return Condition{Condition: metav1.Condition{
		Type: conditionType, Status: s, Reason: reason, Message: message, ObservedGeneration: generation,
		LastTransitionTime: metav1.Time{Time: at},
	}}
}

// bare makes a condition of dialect capi-v1beta1.
func bare(conditionType string, s Status, severity Severity, reason, message string, at time.Time) Condition {
	c := cond(conditionType, s, reason, message, 0, at)
	c.Severity = severity
	return c
}

// cause makes a cause of an object.
func cause(object ObjectRef, conditionType string, s Status, severity Severity, reason, message string) Cause {
	return Cause{Object: object, Severity: severity, Condition: &metav1.Condition{Type: conditionType, Status: s, Reason: reason,
		Message: message}}
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// texts are the errors as text.
func texts(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

func of(conditionType string, s Status, severity Severity, reason, message string) Input {
	c := bare(conditionType, s, severity, reason, message, t0)
	return Input{Type: conditionType, Condition: &c}
}

func ofObject(name string, in Input) Input {
	in.Object = ObjectRef{Kind: "Machine", Namespace: "default", Name: name}
	return in
}

func negative(in Input) Input {
	in.Polarity = Negative
	return in
}

func merged(s Status, severity Severity, reason, message string) Condition {
	c := bare("Ready", s, severity, reason, message, time.Time{})
	return c
}

// inGroup is sync.WaitGroup.Go, which Go 1.24 does not have.
func inGroup(group *sync.WaitGroup, f func()) {
	group.Add(1)
	go func() {
		defer group.Done()
		f()
	}()
}
