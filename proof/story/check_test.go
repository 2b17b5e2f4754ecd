// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/systems"
)

// TestKindOfTheStory: a kind without a group is the one of the story's own objects, though catalogs of several systems have a kind of
// the name.
func TestKindOfTheStory(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]bool{}
	for _, k := range set.Kinds() {
		if k.For.Kind == "Cluster" {
			groups[k.For.Group] = true
		}
	}
	if len(groups) < 2 {
		t.Fatalf("kind Cluster has catalogs in %v, want several groups", groups)
	}
	all, err := story.ReadFS(systems.Stories, "cluster-api")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if err := story.Check(s, set); err != nil {
			t.Errorf("%s: %v", s.Name(), err)
		}
	}
}
