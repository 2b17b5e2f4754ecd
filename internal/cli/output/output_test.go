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
	"github.com/tristate/tristate/internal/fleet/render"
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

// TestNewPrinter: what each format prints of two pods.
func TestNewPrinter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "columns")
	if err := os.WriteFile(file, []byte("WHAT  WELL\n.object.name .ready\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	items := twoPods()
	tests := map[string]struct {
		format    string
		noHeaders bool
		want      string // the beginning of what is printed
	}{
		"names, in the form that kubectl reads": {
			format: "name",
			want: `pod.apps/web-7f9c4d5b6-x2x4k
pod/日本語
`,
		},
		"tabs": {
			format: "tsv",
			want: strings.ReplaceAll(`NAMESPACE|KIND|NAME|VERDICT|READY|SINCE|TYPE|REASON|MESSAGE|APIVERSION|CONTEXT
shop|Pod|web-7f9c4d5b6-x2x4k|InProgress|false|2026-01-01T10:00:00Z||Unschedulable|0/3 nodes are available: 3 Insufficient memory; preemption is not helpful for scheduling|apps/v1|
shop|Pod|日本語|Failed|false|||ImagePullBackOff|registry.example.com/a/very/long/path/of/an/image@sha256:0123456789abcdef|v1|
`, "|", "\t"),
		},
		"tabs without a header": {
			format:    "tsv",
			noHeaders: true,
			want:      "shop\tPod\tweb-7f9c4d5b6-x2x4k",
		},
		"custom columns": {
			format: "custom-columns=NAME:.object.name,V:{.verdict},SINCE:since,R:.ready",
			want: `NAME                  V            SINCE                  R
web-7f9c4d5b6-x2x4k   InProgress   2026-01-01T10:00:00Z   false
日本語                   Failed       <none>                 false
`,
		},
		"custom columns without a header": {
			format:    "custom-columns=V:.verdict",
			noHeaders: true,
			want:      "InProgress\nFailed\n",
		},
		"custom columns of a file": {
			format: "custom-columns-file=" + file,
			want: `WHAT                  WELL
web-7f9c4d5b6-x2x4k   false
日本語                   false
`,
		},
		"an object in a column": {
			format:    "custom-columns=O:.object",
			noHeaders: true,
			want:      `{"apiVersion":"apps/v1","kind":"Pod","name":"web-7f9c4d5b6-x2x4k","namespace":"shop"}`,
		},
		"a path": {
			format: "jsonpath={range .items[*]}{.object.name}={.verdict};{end}",
			want:   "web-7f9c4d5b6-x2x4k=InProgress;日本語=Failed;\n",
		},
		"a path as JSON": {
			format: "jsonpath-as-json={.items[*].ready}",
			want:   "[\n    false,\n    false\n]\n",
		},
		"a template": {
			format: "go-template={{range .items}}{{.verdict}}\n{{end}}",
			want:   "InProgress\nFailed\n",
		},
		"YAML": {
			format: "yaml",
			want:   "answer: complete\napiVersion: tristate.dev/v1alpha1\nitems:\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			print, err := NewPrinter(test.format, test.noHeaders)
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

// TestNewPrinter_errors: a format that cannot be used is an error that says why.
func TestNewPrinter_errors(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("WHAT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{ // part of the error
		"table":                               "not among the formats",
		"custom-columns-x=A:.b":               "not among the formats",
		"custom-columns=NAME":                 `"NAME" is not of that form`,
		"custom-columns=NAME:.items[":         "custom column NAME",
		"custom-columns-file=" + broken:       "as many headers (1) as the second has paths (0)",
		"custom-columns-file=" + broken + "x": "no such file",
		"go-template={{":                      "unclosed action",
		"jsonpath={.items[":                   "unterminated array",
	} {
		if _, err := NewPrinter(format, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about %q", format, err, want)
		}
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
