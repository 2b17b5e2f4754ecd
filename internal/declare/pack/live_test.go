// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
)

func always(kind, reason string) string {
	return "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: x}\nspec: {for: {group: example.org, kind: " + kind +
		"}, verdicts: [{verdict: Current, reason: " + reason + "}]}\n"
}

// TestLive: files of a folder change while they are in use, as those of a mounted ConfigMap do.
func TestLive(t *testing.T) {
	dir := t.TempDir()
	// What is mounted is a link into a folder that is replaced as a whole.
	mount := func(version string, files map[string]string) {
		t.Helper()
		folder := filepath.Join(dir, "..v"+version)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(dir, name)
			if _, err := os.Lstat(link); err != nil {
				if err := os.Symlink(filepath.Join("..data", name), link); err != nil {
					t.Fatal(err)
				}
			}
		}
		next := filepath.Join(dir, "..next")
		if err := os.Symlink("..v"+version, next); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	var live pack.Live
	update := func() (bool, error) {
		t.Helper()
		files, err := catalog.ReadFS(os.DirFS(dir), ".")
		if err != nil {
			t.Fatal(err)
		}
		return live.Update(files)
	}
	reasons := func() map[string]string {
		out := map[string]string{}
		for _, kind := range []string{"Lamp", "Chair"} {
			out[kind] = pack.Engine(live.Set()).Judge(map[string]any{"apiVersion": "example.org/v1", "kind": kind}, now).Reason
		}
		return out
	}
	steps := []struct {
		name    string
		files   map[string]string
		want    map[string]string
		changed bool
		err     string
	}{
		{"first", map[string]string{"lamp.yaml": always("Lamp", "One"), "chair.yaml": always("Chair", "One")},
			map[string]string{"Lamp": "One", "Chair": "One"}, true, ""},
		{"the same", map[string]string{"lamp.yaml": always("Lamp", "One"), "chair.yaml": always("Chair", "One")},
			map[string]string{"Lamp": "One", "Chair": "One"}, false, ""},
		{"one changes", map[string]string{"lamp.yaml": always("Lamp", "Two"), "chair.yaml": always("Chair", "One")},
			map[string]string{"Lamp": "Two", "Chair": "One"}, true, ""},
		{"one breaks, the other changes", map[string]string{"lamp.yaml": "verdicts: [", "chair.yaml": always("Chair", "Two")},
			map[string]string{"Lamp": "Two", "Chair": "Two"}, true, "lamp.yaml:1"},
		{"still broken", map[string]string{"lamp.yaml": "verdicts: [", "chair.yaml": always("Chair", "Two")},
			map[string]string{"Lamp": "Two", "Chair": "Two"}, false, "lamp.yaml:1"},
		{"two for one kind", map[string]string{"lamp.yaml": always("Lamp", "Three"), "chair.yaml": always("Lamp", "Four")},
			map[string]string{"Lamp": "Four", "Chair": "NoStatus"}, true, "lamp.yaml:4"},
		{"put right", map[string]string{"lamp.yaml": always("Lamp", "Four"), "chair.yaml": always("Chair", "Four")},
			map[string]string{"Lamp": "Four", "Chair": "Four"}, true, ""},
	}
	for i, step := range steps {
		mount(string(rune('a'+i)), step.files)
		changed, err := update()
		if changed != step.changed {
			t.Errorf("%s: changed: want %t, got %t", step.name, step.changed, changed)
		}
		if step.err == "" && err != nil || step.err != "" && (err == nil || !strings.Contains(err.Error(), step.err)) {
			t.Errorf("%s: want error %q, got %v", step.name, step.err, err)
		}
		if diff := cmp.Diff(step.want, reasons()); diff != "" {
			t.Errorf("%s: reasons: -want +got\n%s", step.name, diff)
		}
	}
}
