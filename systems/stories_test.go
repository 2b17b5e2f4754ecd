// SPDX-License-Identifier: Apache-2.0

package systems_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/tristate/tristate/proof/story"
	"github.com/tristate/tristate/systems"
)

func TestParse(t *testing.T) {
	all, err := story.ReadFS(systems.Stories, ".")
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
	files, err := fs.Glob(systems.Stories, "*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range systems.Demo() {
		if !slices.Contains(files, name) {
			t.Errorf("no story %s", name)
		}
	}
}
