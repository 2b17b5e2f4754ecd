// SPDX-License-Identifier: Apache-2.0

package controller_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/controller"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testclock "k8s.io/utils/clock/testing"
)

// waiters declares a derived condition with two waits in turn, each of half an hour.
const waiters = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: waiters.GROUP}
spec:
  for: {group: GROUP, kind: Waiter, versions: [v1]}
  manage: {manager: tristate}
  waits: status
  conditions:
  - type: Ready
    meaning: It has what it waits for.
    derive:
      rules:
      - {when: "self.spec.step == 'echo'", reason: AwaitingEcho}
      - {when: "self.spec.step == 'store'", reason: AwaitingStore}
      - {reason: Served}
    reasons:
    - {reason: AwaitingEcho, status: "False", class: progress, deadline: {after: 30m, then: TimedOut}, meaning: The echo is missing.}
    - {reason: AwaitingStore, status: "False", class: progress, deadline: {after: 30m, then: TimedOut}, meaning: The store is missing.}
    - {reason: TimedOut, status: "False", class: terminal, meaning: It waited for too long.}
    - {reason: Served, status: "True", class: ok, meaning: It has it.}
`

// withWaits is a status with conditions and the beginnings of waits.
const withWaits = `type: object, properties: {conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type],
            items: {type: object, required: [type, status], properties: {type: {type: string}, status: {type: string}, reason: {type: string},
            message: {type: string}, lastTransitionTime: {type: string}, observedGeneration: {type: integer, format: int64}}}},
            waits: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: {type: object, required: [type, reason, since],
            properties: {type: {type: string}, reason: {type: string}, since: {type: string, format: date-time}, observedGeneration: {type: integer, format: int64},
            progress: {type: string}}}}}`

// TestDeadline: a deadline of a derived condition passes without any event; its time goes on in another process, a wait that follows
// another under the same status has its own, and the object says so only as long as it waits.
func TestDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set = b.load(waiters)
	b.define(withWaits, "Waiter")
	clock := testclock.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	begin := func() *running { return b.run(func(o *controller.Options) { o.Clock = clock }) }
	waits := func() int {
		t.Helper()
		o, err := b.objects("Waiter").Get(b.patient(), "w", metav1.GetOptions{})
		b.must(err)
		list, _, err := unstructured.NestedSlice(o.Object, "status", "waits")
		b.must(err)
		return len(list)
	}
	c := begin()
	b.create("Waiter", "w", "step: echo")
	b.eventually("Waiter", "w", "Ready=False AwaitingEcho")
	c.idle()
	clock.Step(20 * time.Minute)
	c.end()
	c = begin()
	c.idle()
	clock.Step(10*time.Minute - time.Second)
	c.idle()
	if got := b.says("Waiter", "w"); got != "Ready=False AwaitingEcho" {
		t.Errorf("a second before the end: %s", got)
	}
	clock.Step(time.Second)
	b.eventually("Waiter", "w", "Ready=False TimedOut")
	step := func(value string) {
		t.Helper()
		_, err := b.objects("Waiter").Patch(b.patient(), "w", "application/merge-patch+json", b.json("spec: {step: "+value+"}"),
			metav1.PatchOptions{})
		b.must(err)
	}
	step("store")
	b.eventually("Waiter", "w", "Ready=False AwaitingStore")
	if waits() != 1 {
		t.Errorf("want one wait, got %d", waits())
	}
	step("none")
	b.eventually("Waiter", "w", "Ready=True Served")
	if waits() != 0 {
		t.Error("a wait is left that is over")
	}
	c.quiet()
}
