// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/systems"
)

// TestStories runs every story that we ship in memory, and compares the cells that they reach with the declared ones.
func TestStories(t *testing.T) {
	set := shipped(t)
	all, err := story.ReadFS(systems.Stories, ".")
	if err != nil {
		t.Fatal(err)
	}
	var coverage story.Coverage
	for _, s := range all {
		t.Run(s.Name(), func(t *testing.T) {
			w := story.NewMemoryWorld(set)
			r := &story.Runner{World: w, Coverage: &coverage, Update: *golden.Update,
				Observe: func(e story.Event) {
					if _, settled := e.Step.Command.(story.Settle); settled && e.Done {
						pruned(t, w)
					}
				}}
			if err := r.Run(context.Background(), s); err != nil {
				t.Errorf("\n%v", err)
			}
			if *golden.Update {
				system, name := path.Split(s.File)
				file := filepath.Join("..", "..", "systems", filepath.FromSlash(path.Join(system, "stories", name)))
				must(t, os.WriteFile(file, s.Format(), 0o644))
			}
		})
	}
	report := coverage.Report(set)
	t.Log("\n" + report.Text())
	for _, c := range report.Statuses.NotReached {
		t.Errorf("no story reaches %s %s=%s", c.Kind, c.Type, c.Status)
	}
	for _, c := range report.Undeclared {
		t.Errorf("not declared: %s %s=%s %s", c.Kind, c.Type, c.Status, c.Reason)
	}
}
