// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"context"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/operator"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stored is a journal in memory.
type stored struct{ agent.Journal }

func (s stored) Load(context.Context) (agent.Journal, error) { return s.Journal, nil }
func (s stored) Save(context.Context, agent.Journal) error   { return nil }

// TestStatusRemoved: "is a terminal state". An operation that has ended stays as it has ended when its status is removed, or replaced by
// one of the time before. It does not run again.
func TestStatusRemoved(t *testing.T) {
	const uid = "b7a1c09e-0000-4000-8000-000000000001"
	for _, end := range ends {
		p := BeginList(1, nil, start)
		Judge(p, Facts{Now: start, Lost: end})
		o := &api.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "op", UID: uid, Generation: 1},
			Spec: api.OperationSpec{Type: engine.Runbook, Engine: engine.Job, Parameters: api.Parameters{Job: &api.JobParameters{Image: "i"}}},
			Status: api.OperationStatus{StartedAt: &metav1.Time{Time: start}, FinishedAt: &metav1.Time{Time: start},
				Conditions: wire.ToMeta(p.Commit().Conditions())}}
		a := agent.New(nil, stored{}, time.Now)
		if err := a.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.Take(agent.ResourceRef{UID: uid, State: Progress(o)}, nil)
		for name, status := range map[string]api.OperationStatus{"removed": {}, "of before": {StartedAt: o.Status.StartedAt}} {
			o.Status = status
			g := &gatherer{Env: &kit.Env{Host: &operator.Host{}, Agent: a}}
			f, err := g.gather(t.Context(), o, start)
			if err != nil || f.end() != end || f.Starting {
				t.Errorf("%s, %s: it ends with %q, %v", end, name, f.end(), err)
			}
			result := judge(o, f, start).Commit()
			next := g.conclude(o, f, result, start).Status.(*api.OperationStatus)
			next.Conditions = wire.ToMeta(result.Conditions())
			if back := (&api.Operation{Status: *next}); Progress(back) != a.Mark(t.Context(), uid).State || len(result.Errors) > 0 {
				t.Errorf("%s, %s: the status is %+v, %v", end, name, next, result.Errors)
			}
		}
	}
}

// TestProgress: the state of an operation that has ended is read back as the reason that it has ended with.
func TestProgress(t *testing.T) {
	for _, end := range ends {
		p := BeginList(1, nil, start)
		Judge(p, Facts{Now: start, Lost: end})
		o := &api.Operation{Status: api.OperationStatus{FinishedAt: &metav1.Time{Time: start}, Conditions: wire.ToMeta(p.Commit().Conditions())}}
		if have := endOf(Progress(o)); have != end {
			t.Errorf("%s is read back as %q", end, have)
		}
	}
	if n := Progress(&api.Operation{Status: api.OperationStatus{StartedAt: &metav1.Time{Time: start}}}); n != progressed || endOf(n) != "" {
		t.Errorf("one that has started has state %d", n)
	}
}
