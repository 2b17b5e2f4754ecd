// SPDX-License-Identifier: Apache-2.0

package output

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/read/render"
)

func twoPods() []render.Item {
	since := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	return []render.Item{
		{Object: render.ObjectRef{APIVersion: "apps/v1", Kind: "Pod", Namespace: "shop", Name: "web-7f9c4d5b6-x2x4k"}, Verdict: "InProgress",
			Reason: "Unschedulable", Since: &since,
			Message: "0/3 nodes are available:\n3 Insufficient memory\npreemption is not helpful for scheduling"},
		{Object: render.ObjectRef{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "日本語"}, Verdict: "Failed", Reason: "ImagePullBackOff",
			Message: "registry.example.com/a/very/long/path/of/an/image@sha256:0123456789abcdef"},
	}
}

func TestNewPrinter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "columns")
	if err := os.WriteFile(file, []byte("WHAT  WELL\n.object.name .ready\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("WHAT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	items := twoPods()
	tests := map[string]struct {
		format    string
		noHeaders bool
		want, err string
	}{
		"names, as kubectl takes them back": {"name", false, "pod.apps/web-7f9c4d5b6-x2x4k\npod/日本語\n", ""},
		"tabs": {"tsv", false, "NAMESPACE\tKIND\tNAME\tVERDICT\tREADY\tSINCE\tTYPE\tREASON\tMESSAGE\tAPIVERSION\tCONTEXT\n" +
			"shop\tPod\tweb-7f9c4d5b6-x2x4k\tInProgress\tfalse\t2026-01-01T10:00:00Z\t\tUnschedulable\t0/3 nodes are available: 3 Insufficient memory; preemption is not helpful for scheduling\tapps/v1\t\n" +
			"shop\tPod\t日本語\tFailed\tfalse\t\t\tImagePullBackOff\tregistry.example.com/a/very/long/path/of/an/image@sha256:0123456789abcdef\tv1\t\n",
			""},
		"tabs without header": {"tsv", true, "shop\tPod\tweb-7f9c4d5b6-x2x4k", ""},
		"custom columns": {"custom-columns=NAME:.object.name,V:{.verdict},SINCE:since,R:.ready", false,
			"NAME                  V            SINCE                  R\nweb-7f9c4d5b6-x2x4k   InProgress   2026-01-01T10:00:00Z   false\n日本語                   Failed       <none>                 false\n", ""},
		"custom columns, no header": {"custom-columns=V:.verdict", true, "InProgress\nFailed\n", ""},
		"custom columns from a file": {"custom-columns-file=" + file, false,
			"WHAT                  WELL\nweb-7f9c4d5b6-x2x4k   false\n日本語                   false\n", ""},
		"an object in a column": {"custom-columns=O:.object", true,
			`{"apiVersion":"apps/v1","kind":"Pod","name":"web-7f9c4d5b6-x2x4k","namespace":"shop"}`, ""},
		"a path": {"jsonpath={range .items[*]}{.object.name}={.verdict};{end}", false,
			"web-7f9c4d5b6-x2x4k=InProgress;日本語=Failed;\n", ""},
		"a path as JSON": {"jsonpath-as-json={.items[*].ready}", false, "[\n    false,\n    false\n]\n", ""},
		"a template":     {"go-template={{range .items}}{{.verdict}}\n{{end}}", false, "InProgress\nFailed\n", ""},
		"YAML":           {"yaml", false, "apiVersion: tristate.dev/v1alpha1\nitems:\n", ""},

		"a word of nobody":               {"table", false, "", "not among the formats"},
		"a column without a path":        {"custom-columns=NAME", false, "", `"NAME" is not of that form`},
		"a column with a broken path":    {"custom-columns=NAME:.items[", false, "", "custom column NAME"},
		"a file of too few paths":        {"custom-columns-file=" + broken, false, "", "as many headers (1) as the second has paths (0)"},
		"a file that is not there":       {"custom-columns-file=" + broken + "x", false, "", "no such file"},
		"custom something":               {"custom-columns-x=A:.b", false, "", "not among the formats"},
		"a template that does not parse": {"go-template={{", false, "", "unclosed action"},
		"a path that does not parse":     {"jsonpath={.items[", false, "", "unterminated array"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			print, err := NewPrinter(test.format, test.noHeaders)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want one about %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			if err := print(&got, slices.Values(items)); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.String(), test.want) {
				t.Errorf("-want +got\n%s", cmp.Diff(test.want, got.String()))
			}
		})
	}
}

// TestNewPrinter_again: a printer that is called again, as --watch does, does not repeat its header.
func TestNewPrinter_again(t *testing.T) {
	for _, format := range []string{"tsv", "custom-columns=NAME:.object.name"} {
		print, err := NewPrinter(format, false)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for range 2 {
			if err := print(&got, slices.Values(twoPods()[:1])); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(got.String(), "NAME"); n < 1 || strings.Count(got.String(), "\n") != 3 {
			t.Errorf("%s:\n%s", format, got.String())
		}
	}
}
