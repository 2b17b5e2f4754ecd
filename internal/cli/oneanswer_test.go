// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/feed"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/verdict"
)

// TestOneAnswer: status, tree, why, wait and the page have the same verdict about an object of a dump, with the same reason, message and
// time.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	for name, file := range dumps(t) {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(name, "../../"), "/", "-"), func(t *testing.T) {
			t.Parallel()
			want := verdictsOf(t, "status", "-f", file)
			if len(want) == 0 {
				t.Skip("no objects")
			}
			for object, got := range rowsOf(t, file) {
				if want[object] != got {
					t.Errorf("%s %s/%s:\npage: %s\nstatus:\n%s", object.Kind, object.Namespace, object.Name, got, want[object])
				}
			}
			for _, command := range [][]string{{"tree"}, {"why"}, {"wait", "--local", "--timeout", "0"}} {
				for object, got := range verdictsOf(t, append(command, "-f", file)...) {
					if first, listed := want[object]; listed && got != first {
						t.Errorf("%s %s/%s:\n%s\nstatus:\n%s", object.Kind, object.Namespace, object.Name, command[0]+": "+got, first)
					}
				}
			}
		})
	}
}

// dumps returns the files with objects that the project keeps: samples of systems, the files of scripts, the scenes of package wiring, and
// objects of real controllers where these are there.
func dumps(t *testing.T) map[string]string {
	t.Helper()
	out, folder := map[string]string{}, t.TempDir()
	collect := func(pattern string, add func(path string)) {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			add(path)
		}
	}
	whole := func(path string) { out[filepath.ToSlash(path)] = path }
	collect("../../systems/*/samples/*.yaml", whole)
	collect("../../proof/campaign/testdata/shop.yaml", whole)
	collect("../../../shared/witness/*.json", whole)
	archive := func(path string) {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range a.Files {
			if text := string(f.Data); !strings.Contains(text, "kind:") || !strings.Contains(text, "status:") {
				continue
			}
			file := filepath.Join(folder, fmt.Sprintf("%s-%d.yaml", filepath.Base(path), i))
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(f.Data), "NOW", "2026-01-02T05:00:00Z")), 0o600); err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(path)+" "+f.Name] = file
		}
	}
	collect("testdata/script/*.txtar", archive)
	collect("../fleet/wiring/testdata/*.txtar", archive)
	if len(out) < 100 {
		t.Fatalf("%d dumps", len(out))
	}
	return out
}

// verdictsOf returns the answers of a command about the objects of files, in a line each.
func verdictsOf(t *testing.T, args ...string) map[render.ObjectRef]string {
	t.Helper()
	var out, errs bytes.Buffer
	a := appAt(&out, &errs)
	a.Run(t.Context(), append(args, "-o", "json"))
	var list render.VerdictList
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &list); err != nil {
			t.Fatalf("%v: %v\n%s\n%s", args, err, &out, &errs)
		}
	}
	answers := map[render.ObjectRef]string{}
	add := func(items []render.Item) {
		for _, i := range items {
			text := answer(i.Verdict, i.Type, i.Reason, i.Message, i.Since)
			if before, twice := answers[i.Object]; twice && before != text {
				t.Errorf("%s: %s has two answers: %s; %s", args[0], i.Object.Name, before, text)
			}
			answers[i.Object] = text
		}
	}
	add(list.Items)
	return answers
}

// appAt returns an app whose clock does not move.
func appAt(out, errs io.Writer) *cli.App {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &cli.App{In: &bytes.Buffer{}, Out: out, Err: errs, Env: func(string) string { return "" }, Now: func() time.Time { return now },
		Name: "tristate"}
}

// answer returns a verdict with what explains it, as far as a row of the page has it.
func answer(v verdict.Status, kind, reason, message string, since *time.Time) string {
	if message = strings.TrimSuffix(message, "…"); len(message) > 200 {
		message = message[:200]
	}
	text := strings.Join([]string{string(v), kind, reason, message}, " | ")
	if since != nil {
		text += " | " + since.Truncate(time.Second).UTC().String()
	}
	return text
}

// rowsOf returns the rows of the page about the objects of files.
func rowsOf(t *testing.T, file string) map[render.ObjectRef]string {
	t.Helper()
	a := (*app.App)(appAt(io.Discard, io.Discard))
	fleet := rows.New(a.Now)
	if err := feed.Files(context.Background(), fleet, view.New(a, view.Options{Engine: "tristate", Files: []string{file}})); err != nil {
		t.Fatal(err)
	}
	out := map[render.ObjectRef]string{}
	for _, r := range fleet.Window(rows.Query{}, "name", 0, 10000).Rows {
		out[r.Object] = answer(r.Verdict, r.Type, r.Reason, r.Message, r.Since)
	}
	return out
}
