// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// pods are three objects with messages of several lines and words of every length.
func pods() []*relation.Node {
	fine := node("Deployment", "web", "Current", "")
	fine.Judgement.Since = noon.Add(-90 * time.Second)
	late := node("Pod", "web-7f9c4d5b6-x2x4k", "InProgress", "Unschedulable")
	late.Judgement.Message = "0/3 nodes are available:\n3 Insufficient memory\npreemption is not helpful for scheduling"
	late.Judgement.Since = noon.Add(-26 * time.Hour)
	bad := node("Pod", "日本語", "Failed", "ImagePullBackOff")
	bad.Judgement.Message = "registry.example.com/a/very/long/path/of/an/image@sha256:0123456789abcdef"
	return []*relation.Node{fine, late, bad}
}

func TestTable(t *testing.T) {
	tests := map[string]struct {
		o    Options
		want string
	}{
		"a pipe: aligned, under a header, messages whole": {Options{Now: noon, Namespaces: true}, `
NAMESPACE  OBJECT                   VERDICT       FOR  MESSAGE
shop       Deployment/web           ✓ Current     90s
shop       Pod/web-7f9c4d5b6-x2x4k  … InProgress  26h  Unschedulable: 0/3 nodes are available: 3 Insufficient memory; preemption is not helpful for scheduling
shop       Pod/日本語               ✗ Failed           ImagePullBackOff: registry.example.com/a/very/long/path/of/an/image@sha256:0123456789abcdef
`},
		"no headers": {Options{NoHeaders: true}, `
Deployment/web           ✓ Current
Pod/web-7f9c4d5b6-x2x4k  … InProgress  Unschedulable: 0/3 nodes are available: 3 Insufficient memory; preemption is not helpful for scheduling
Pod/日本語               ✗ Failed      ImagePullBackOff: registry.example.com/a/very/long/path/of/an/image@sha256:0123456789abcdef
`},
		"80 columns: messages continue below": {Options{Now: noon, Width: 80}, `
OBJECT                   VERDICT       FOR  MESSAGE
Deployment/web           ✓ Current     90s
Pod/web-7f9c4d5b6-x2x4k  … InProgress  26h  Unschedulable: 0/3 nodes are
                                            available: 3 Insufficient memory;
                                            preemption is not helpful for
                                            scheduling
Pod/日本語               ✗ Failed           ImagePullBackOff:
                                            registry.example.com/a/very/long/pat
                                            h/of/an/image@sha256:0123456789abcde
                                            f
`},
		"80 columns, one line": {Options{Now: noon, Width: 80, OneLine: true}, `
OBJECT                   VERDICT       FOR  MESSAGE
Deployment/web           ✓ Current     90s
Pod/web-7f9c4d5b6-x2x4k  … InProgress  26h  Unschedulable: 0/3 nodes are availa…
Pod/日本語               ✗ Failed           ImagePullBackOff: registry.example.…
`},
		"60 columns: without the time": {Options{Now: noon, Width: 60, OneLine: true}, `
OBJECT                   VERDICT       MESSAGE
Deployment/web           ✓ Current
Pod/web-7f9c4d5b6-x2x4k  … InProgress  Unschedulable: 0/3 n…
Pod/日本語               ✗ Failed      ImagePullBackOff: re…
`},
		"70 columns, a long name: it is shortened before the message is lost": {Options{Now: noon, Width: 70, OneLine: true}, `
OBJECT                        VERDICT       MESSAGE
Deployment/web                ✓ Current
Pod/web-7f9c4d5b6-x2x4k       … InProgress  Unschedulable: 0/3 nodes …
Pod/日本語                    ✗ Failed      ImagePullBackOff: registr…
Ingress/shop-front…long-name  … InProgress  NoAddress
`},
		"62 columns, a long name: it is shortened more before the message is lost": {Options{Now: noon, Width: 62, OneLine: true}, `
OBJECT                      VERDICT       MESSAGE
Deployment/web              ✓ Current
Pod/web-7f9c4d5b6-x2x4k     … InProgress  Unschedulable: 0/3 …
Pod/日本語                  ✗ Failed      ImagePullBackOff: r…
Ingress/shop-fron…ong-name  … InProgress  NoAddress
`},
		"50 columns: without the message": {Options{Now: noon, Width: 50}, `
OBJECT                   VERDICT
Deployment/web           ✓ Current
Pod/web-7f9c4d5b6-x2x4k  … InProgress
Pod/日本語               ✗ Failed
`},
		"30 columns: names are shortened in the middle": {Options{Now: noon, Width: 30, Namespaces: true}, `
OBJECT            VERDICT
Deployment/web    ✓ Current
Pod/web-7f…x2x4k  … InProgress
Pod/日本語        ✗ Failed
`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			nodes := pods()
			if strings.Contains(name, "a long name") {
				nodes = append(nodes, node("Ingress", "shop-front-door-with-a-rather-long-name", "InProgress", "NoAddress"))
			}
			if err := Table(&got, slices.Values(nodes), test.o); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), got.String()); diff != "" {
				t.Errorf("-want +got\n%s\n%s", diff, got.String())
			}
		})
	}
}

// TestTable_width: no line is wider than the terminal, down to the width of the shortest name and verdict.
func TestTable_width(t *testing.T) {
	root := node("Cluster", "prod", "Failed", "Bad", pods()...)
	root.Judgement.Message = strings.Repeat("word ", 60)
	for width := leastName + 20; width < 200; width++ {
		o := Options{Now: noon, Width: width, Namespaces: width%2 == 0, Colour: false}
		var got strings.Builder
		if err := Table(&got, slices.Values(pods()), o); err != nil {
			t.Fatal(err)
		}
		if err := Tree(&got, root, o); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(got.String()) {
			if w := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Fatalf("%d columns on a terminal of %d: %q", w, width, line)
			}
		}
	}
}

// TestTree_continued: the bars of a tree go on beside a message of several lines.
func TestTree_continued(t *testing.T) {
	root := node("Cluster", "prod", "Failed", "Bad", append(pods(), node("Service", "z", "Current", ""))...)
	root.Judgement.Message = "one two three four five six seven eight nine ten eleven twelve"
	var got strings.Builder
	if err := writeTable(&got, treeColumns, func(yield func(line) bool) {
		for _, l := range appendNode(nil, root, "", "", Options{}) {
			if !yield(l) {
				return
			}
		}
	}, Options{Width: 72}); err != nil {
		t.Fatal(err)
	}
	const want = `OBJECT                      VERDICT       MESSAGE
Cluster/prod                ✗ Failed      Bad: one two three four five
│                                         six seven eight nine ten
│                                         eleven twelve
├─ Deployment/web           ✓ Current
├─ Pod/web-7f9c4d5b6-x2x4k  … InProgress  Unschedulable: 0/3 nodes are
│                                         available: 3 Insufficient
│                                         memory; preemption is not
│                                         helpful for scheduling
├─ Pod/日本語               ✗ Failed      ImagePullBackOff:
│                                         registry.example.com/a/very/lo
│                                         ng/path/of/an/image@sha256:012
│                                         3456789abcdef
└─ Service/z                ✓ Current
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got\n%s\n%s", diff, got.String())
	}
}

func TestTotals(t *testing.T) {
	var nodes []*relation.Node
	for word, n := range map[verdict.Status]int{"Current": 160, "Degraded": 20, "InProgress": 20} {
		for range n {
			nodes = append(nodes, node("Pod", "x", word, ""))
		}
	}
	tests := map[string]struct {
		nodes []*relation.Node
		want  string
	}{
		"many": {nodes, "200 objects: 160 Current, 20 Degraded, 20 InProgress"},
		"one":  {pods()[:1], "1 object: 1 Current"},
		"none": {nil, "0 objects"},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, Totals(slices.Values(test.nodes))); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
