// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// coverageFile names a file to which the coverage of the stories on the real API server is written.
const coverageFile = "TRISTATE_COVERAGE_FILE"

// TestStories runs every story that we ship on a real API server, each in a namespace of its own, with the controller at work,
// and compares the cells that they reach with those that the catalogs declare.
func TestStories(t *testing.T) {
	config := server(t)
	plane.NeedControllers(t)
	set := shipped(t)
	tristate, counter := startController(t, config, set)
	all, err := story.ReadFS(systems.Stories, ".")
	must(t, err)
	var coverage story.Coverage
	skipped := 0
	var ran atomic.Int32
	var again secondPass
	t.Run("each", func(t *testing.T) {
		for _, s := range all {
			if s.VirtualTime() {
				skipped++
			}
			t.Run(s.Name(), func(t *testing.T) {
				t.Parallel()
				ran.Add(1)
				ctx := patient(t)
				namespace := plane.Namespace(t, config)
				w, err := live.New(ctx, live.Options{Config: plane.OfTest(config), Catalogs: set, Namespace: namespace, Controller: tristate,
					Writes: func() int { return counter.Writes(namespace) }})
				must(t, err)
				both := twin{w, story.NewMemoryWorld(set), t}
				r := &story.Runner{World: both, Coverage: &coverage}
				switch err := r.Run(ctx, s); {
				case errors.Is(err, story.ErrSkipped):
					t.Skip(err)
				case err != nil:
					t.Fatalf("\n%v", err)
				}
				again.add(settledOnceMore(ctx, t, w))
			})
		}
	})
	report := coverage.Report(set)
	t.Logf("%d stories, %d of them only on virtual time\n%s", len(all), skipped, report.Text())
	if file := os.Getenv(coverageFile); file != "" {
		must(t, os.WriteFile(file, []byte(report.Text()), 0o644))
	}
	if int(ran.Load()) < len(all) {
		return // only some were asked for
	}
	for _, k := range set.Kinds() {
		t.Logf("second pass: %4d objects of %s, nothing written", again.objects[k.For], k.For)
		if again.objects[k.For] == 0 {
			t.Errorf("no second pass over %s", k.For)
		}
	}
	for _, c := range report.Statuses.NotReached {
		t.Errorf("no story reaches %s %s=%s", c.Kind, c.Type, c.Status)
	}
	for _, c := range report.Undeclared {
		t.Errorf("not declared: %s %s=%s %s", c.Kind, c.Type, c.Status, c.Reason)
	}
}

// secondPass counts the objects that were judged once more at the end of a story.
type secondPass struct {
	mu      sync.Mutex
	objects map[schema.GroupKind]int
}

func (s *secondPass) add(objects []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects == nil {
		s.objects = map[schema.GroupKind]int{}
	}
	for _, o := range objects {
		s.objects[relation.FromContent(o).GroupKind]++
	}
}

// settledOnceMore: a second pass over everything, once a story is over, writes nothing. It returns the objects.
func settledOnceMore(ctx context.Context, t *testing.T, w *live.World) []map[string]any {
	t.Helper()
	objects, err := w.Settle(ctx)
	must(t, err)
	before := w.Writes()
	must(t, w.Recheck(ctx))
	if n := w.Writes() - before; n != 0 {
		t.Errorf("a second pass over everything wrote %d times", n)
	}
	return objects
}
