// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli/app"

	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// TestJudge_reload: with --watch a catalog may change; a bad one is reported once, and the good one before it stays.
func TestJudge_reload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lamp.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	good := "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: x}\nspec: {for: {group: example.org, kind: Lamp}, verdicts: [{verdict: WORD}]}\n"
	var said bytes.Buffer
	a := &app.App{Err: &said, Now: time.Now, Name: "tristate"}
	v := New(a, Options{Watch: true, Catalogs: flags.Catalogs{Paths: []string{file}, NoEmbedded: true}})
	lamp := relation.FromContent(map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp", "metadata": map[string]any{"name": "hall"}})
	steps := []struct{ text, want string }{
		{strings.Replace(good, "WORD", "Current", 1), "Current"},
		{strings.Replace(good, "WORD", "Suspended", 1), "Suspended"},
		{strings.Replace(good, "WORD", "Fine", 1), "Suspended"},
		{strings.Replace(good, "WORD", "Fine", 1), "Suspended"},
		{strings.Replace(good, "WORD", "Failed", 1), "Failed"},
	}
	for i, step := range steps {
		write(step.text)
		if got := v.Judge()(lamp).Verdict; string(got) != step.want {
			t.Errorf("step %d: want %s, got %s", i, step.want, got)
		}
	}
	if n := strings.Count(said.String(), "lamp.yaml:4:"); n != 1 {
		t.Errorf("want the bad catalog to be named once, got %d times:\n%s", n, &said)
	}
}
