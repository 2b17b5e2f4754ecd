// SPDX-License-Identifier: Apache-2.0

package stories_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/tristate/tristate/internal/prove/story"
	"github.com/tristate/tristate/stories"
)

func TestParse(t *testing.T) {
	all, err := story.ReadFS(stories.FS, ".")
	if err != nil {
		t.Error(err)
	}
	for _, s := range all {
		if s.Description == "" {
			t.Errorf("%s does not say what it shows", s.File)
		}
	}
}

func TestDemo(t *testing.T) {
	files, err := fs.Glob(stories.FS, "*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stories.Demo() {
		if !slices.Contains(files, name) {
			t.Errorf("no story %s", name)
		}
	}
}
