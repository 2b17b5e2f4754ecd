// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/proof/story"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestParseErrors compares the errors in testdata/bad/*.txtar with the .want file beside each.
func TestParseErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			must(t, err)
			_, err = story.Parse(filepath.Base(file), data)
			if err == nil {
				t.Fatal("no error")
			}
			golden.File(t, strings.TrimSuffix(file, ".txtar")+".want", err.Error()+"\n")
		})
	}
}

func cell(conditionType string, status conditions.Status, reason string, severity conditions.Severity,
	message string) conditions.Condition {
	c := conditions.Condition{Severity: severity}
	c.Type, c.Status, c.Reason, c.Message = conditionType, status, reason, message
	return c
}

func TestParseCommands(t *testing.T) {
	ref := story.Ref{ID: relation.ID{GroupKind: schema.GroupKind{Kind: "Widget"}, Namespace: "default", Name: "a"}}
	tests := map[string]story.Command{
		`report Widget/a P=False Reason Warning "a # \"b\"" # comment`: story.Report{Ref: ref, Condition: cell("P", "False", "Reason", "Warning",
			`a # "b"`)},
		`report Widget/a P=False Error`: story.Report{Ref: ref, Condition: cell("P", "False", "", "Error", "")},
		`report Widget/a P=False Error Error`: story.Report{Ref: ref, Condition: cell("P", "False", "Error", "Error",
			"")},
		"report Widget/a P=True `x`": story.Report{Ref: ref, Condition: cell("P", "True", "", "", "x")},
		`report Widget/a -P`: story.Report{Ref: ref, Condition: cell("P", "", "", "", ""),
			Remove: true},
		`delete Widget.example.com/ns/a`: story.Delete{
			Ref: story.Ref{ID: relation.ID{GroupKind: schema.GroupKind{Kind: "Widget", Group: "example.com"}, Namespace: "ns", Name: "a"},
				Grouped: true}},
		`status Widget/a x=1 y.z="a b" w={a: [1, 2.5]} v=true u=null`: story.SetStatus{Ref: ref, Patch: map[string]any{
			"x": int64(1), "y": map[string]any{"z": "a b"}, "w": map[string]any{"a": []any{int64(1), 2.5}}, "v": true, "u": nil}},
		`status Widget/a version=v1.30.0 t=2026-01-01`: story.SetStatus{Ref: ref, Patch: map[string]any{"version": "v1.30.0", "t": "2026-01-01"}},
		`set Widget/a metadata.annotations["a.b/c"]="" metadata.labels.a\.b/d=e metadata.annotations["x"]["y"]=1`: story.Set{Ref: ref,
			Patch: map[string]any{"metadata": map[string]any{
				"annotations": map[string]any{"a.b/c": "", "x": map[string]any{"y": int64(1)}}, "labels": map[string]any{"a.b/d": "e"}}}},
		`expect Widget/a P=Unknown`: story.Expect{Ref: ref, Condition: cell("P", "Unknown", "", "", "")},
		`tree Widget/a want`:        story.Tree{Ref: ref, File: "want"},
		`writes 0`:                  story.Writes{},
		`sleep 1h30m`:               story.Sleep{For: 90 * 60 * 1e9},
		`note "it breaks"`:          story.Note{Text: "it breaks"},
	}
	for line, want := range tests {
		t.Run(line, func(t *testing.T) {
			s, err := story.Parse("s.txtar", []byte(line+"\n-- want --\n"))
			must(t, err)
			diff(t, "command", want, s.Steps[0].Command)
		})
	}
}

var place = regexp.MustCompile(`^s\.txtar:(\d+): `)

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/bad/*.txtar")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("apply a\nset A/b a[\"b\"].c=`x`\n-- a --\n{apiVersion: v1, kind: A, metadata: {name: b}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := story.Parse("s.txtar", data)
		if err == nil {
			if again, err := story.Parse("s.txtar", s.Format()); err != nil || len(again.Steps) != len(s.Steps) {
				t.Fatalf("formatted, it reads as %v", err)
			}
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
			e, ok := errors.AsType[*story.Error](err)
			if !ok || e.Line < 1 || e.Line > lines || !place.MatchString(e.Error()) {
				t.Errorf("no such place (of %d lines): %v", lines, err)
			}
		}
	})
}
