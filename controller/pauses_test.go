// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/tristate/tristate/controller/internal/queue"
	"github.com/tristate/tristate/controller/internal/watchset"

	"github.com/tristate/tristate/internal/fleet/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"
)

// TestWatchPauses: however long the API server is away, a watch is tried again every 4 seconds at the latest, and not in a hurry.
func TestWatchPauses(t *testing.T) {
	pauses := watchset.WatchPauses
	delay := pauses.DelayWithReset(clock.RealClock{}, time.Hour)
	for i := range 1000 {
		if d := delay(); d > watchset.RetryLimit || d < 500*time.Millisecond {
			t.Fatalf("pause %d is %s, want 0.5 s to %s", i, d, watchset.RetryLimit)
		}
	}
}

// TestPatience: a write that the API server did not answer for itself is soon tried again, one that it refused less often.
func TestPatience(t *testing.T) {
	resource := schema.GroupResource{Resource: "widgets"}
	for name, test := range map[string]struct {
		err  error
		want time.Duration
	}{
		"connection refused":  {fmt.Errorf("patch: %w", syscall.ECONNREFUSED), watchset.RetryLimit},
		"any other error":     {errors.New("broken"), watchset.RetryLimit},
		"service unavailable": {apierrors.NewServiceUnavailable("no etcd"), watchset.RetryLimit},
		"internal error":      {apierrors.NewInternalError(errors.New("odd")), watchset.RetryLimit},
		"timeout":             {apierrors.NewTimeoutError("late", 1), watchset.RetryLimit},
		"too many requests":   {apierrors.NewTooManyRequests("slower", 1), watchset.RetryLimit},
		"forbidden":           {apierrors.NewForbidden(resource, "w", errors.New("no")), time.Minute},
		"forbidden, wrapped":  {fmt.Errorf("patch: %w", apierrors.NewForbidden(resource, "w", errors.New("no"))), time.Minute},
		"invalid": {apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "patch", resource, "w", "", 0, true),
			time.Minute},
		"does not answer HTTP": {apierrors.NewGenericServerResponse(http.StatusBadGateway, "patch", resource, "w", "", 0, true), watchset.RetryLimit},
	} {
		t.Run(name, func(t *testing.T) {
			limit := patience(test.err)
			if limit != test.want {
				t.Errorf("patience is %s, want %s", limit, test.want)
			}
			now := testclock.NewFakeClock(time.Unix(0, 0))
			q := queue.New(now, func(relation.ID) int { return 0 })
			for i := range 20 {
				q.Retry(idOf("a"), limit)
				wait := q.Later[idOf("a")].At.Sub(now.Now())
				if wait <= 0 || wait > test.want {
					t.Fatalf("try %d is after %s, want at most %s", i, wait, test.want)
				}
				q.Later[idOf("a")].Timer.Stop()
				delete(q.Later, idOf("a"))
				now.SetTime(now.Now().Add(wait))
			}
		})
	}
}

func idOf(name string) relation.ID { return relation.ID{Name: name} }
