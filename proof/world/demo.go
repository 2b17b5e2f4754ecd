// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world/stage"
)

// Play is the test of a demo. It plays the story and returns the output, which it compares with the block after "<!-- demo -->" on a page,
// if one is named. It compares the recorded objects with the folder samples of the system. The test is skipped in short mode and without a
// control plane.
func Play(t *testing.T, d stage.Demo, page string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs a control plane with nodes")
	}
	Turn(t)
	var out strings.Builder
	folder := t.TempDir()
	if *golden.Update {
		folder = samples
	}
	err := d.Run(t.Context(), stage.Options{Out: &out, Samples: folder})
	if errors.Is(err, plane.ErrNotBuilt) && os.Getenv("TRISTATE_REQUIRE_PLANE") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	compareSamples(t, folder, d.Versions)
	if page == "" {
		return out.String()
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := excerpt(string(text), out.String()); err != nil {
		t.Error(err)
	}
	return out.String()
}

// excerpt compares the block after "<!-- demo -->" on a page with the output of a story: each of its lines is printed, in this order. Times
// and ages do not count, nor the blanks that align columns.
func excerpt(page, printed string) error {
	_, rest, _ := strings.Cut(page, "<!-- demo -->\n```\n")
	block, _, found := strings.Cut(rest, "```\n")
	if !found {
		return errors.New("the page has no excerpt of the demo")
	}
	have := strings.Split(timeless(printed), "\n")
	for line := range strings.Lines(block) {
		line = timeless(strings.TrimRight(line, "\n"))
		at := 0
		for at < len(have) && have[at] != line {
			at++
		}
		if at == len(have) {
			return fmt.Errorf("the demo does not print, or not there:\n%s\nit prints\n%s", line, printed)
		}
		have = have[at+1:]
	}
	return nil
}

// ages are the parts of the output that differ from one run to the next, with the blanks that align columns.
var ages = regexp.MustCompile(`\(?\b\d+(ms|s|m)\b\)?|\d{4}-\d\d-\d\dT[0-9:]*Z| +`)

func timeless(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(ages.ReplaceAllString(line, " "))
	}
	return strings.Join(lines, "\n")
}
