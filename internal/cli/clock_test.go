// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/pack"
)

// TestOneClock: status and wait --local judge the objects of files as of the same time: each has one verdict, with one reason, message and
// time.
func TestOneClock(t *testing.T) {
	dumps := map[string]string{"cases of packs": casesOf(t, "../../catalogs/packs/testdata/*.yaml"),
		"cases of conventions": casesOf(t, "../declare/pack/testdata/conventions/*.yaml")}
	for _, system := range []string{"kars", "vworkspace", "kro", "kpt", "cluster-api"} {
		dumps[system] = filepath.Join("..", "..", "systems", system, "samples")
	}
	for name, dump := range dumps {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(answersOf(t, "status", "-f", dump), answersOf(t, "wait", "--local", "-f", dump, "--for", "create")); diff != "" {
				t.Errorf("-status +wait\n%s", diff)
			}
		})
	}
}

// casesOf writes the objects of cases into one file, each under a name of its own, and returns its path.
func casesOf(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.FromSlash(pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files: %v", pattern, err)
	}
	var items []any
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := pack.ReadCases(file, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			metadata, ok := c.Object["metadata"].(map[string]any)
			if !ok {
				metadata = map[string]any{}
				c.Object["metadata"] = metadata
			}
			metadata["namespace"], metadata["name"] = "c"+strings.TrimSuffix(filepath.Base(file), ".yaml"), "c"+strings.ReplaceAll(c.Name, " ", "-")
			items = append(items, c.Object)
		}
	}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "list.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// answersOf runs a command and returns its verdicts by the names of objects.
func answersOf(t *testing.T, args ...string) map[string]string {
	t.Helper()
	var printed, errs bytes.Buffer
	a := cli.New()
	a.In, a.Out, a.Err, a.Terminal = strings.NewReader(""), &printed, &errs, false
	a.Env = func(string) string { return "" }
	a.Now = func() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }
	a.Run(context.Background(), append(args, "-o", "json"))
	var list struct {
		Items []struct {
			Object                             map[string]any
			Verdict, Reason, Message, NextLook string
			Since, Due                         time.Time
			Overdue                            bool
		}
	}
	if err := json.Unmarshal(printed.Bytes(), &list); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	out := map[string]string{}
	for _, item := range list.Items {
		name, err := json.Marshal(item.Object)
		if err != nil {
			t.Fatal(err)
		}
		item.Object = nil
		answer, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		out[string(name)] = string(answer)
	}
	if len(out) == 0 {
		t.Fatalf("no verdicts: %s", errs.String())
	}
	return out
}
