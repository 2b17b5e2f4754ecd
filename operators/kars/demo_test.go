// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/operators/kars/internal/demo"
)

// TestDemo plays the story, and holds the excerpt on the page to it: each of its lines is printed, in this order.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a control plane with nodes")
	}
	if _, err := os.Stat("../../bin/localplane"); err != nil && os.Getenv("TRISTATE_REQUIRE_PLANE") != "1" {
		t.Skip(err)
	}
	var out bytes.Buffer
	if err := demo.Run(t.Context(), demo.Options{Out: &out}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if file := os.Getenv("TRISTATE_KARS_DEMO"); file != "" {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("../../docs/systems/kars.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- demo -->\n```\n")
	excerpt, _, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("the page has no excerpt of the demo")
	}
	have := strings.Split(timeless(out.String()), "\n")
	for line := range strings.Lines(excerpt) {
		line = timeless(strings.TrimRight(line, "\n"))
		at := 0
		for at < len(have) && have[at] != line {
			at++
		}
		if at == len(have) {
			t.Fatalf("the demo does not print, or not there:\n%s\nit prints\n%s", line, out.String())
		}
		have = have[at+1:]
	}
}

// ages are what differs from one run to the next, with the blanks that align columns.
var ages = regexp.MustCompile(`\(?\b\d+(ms|s|m)\b\)?|\d{4}-\d\d-\d\dT[0-9:]*Z| +`)

func timeless(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(ages.ReplaceAllString(line, " "))
	}
	return strings.Join(lines, "\n")
}
