// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/proof/story"
)

// TestLanguagePage compares docs/story-language.md with the table of commands that the parser has.
func TestLanguagePage(t *testing.T) {
	golden.File(t, "../../docs/story-language.md", languagePage())
}

// TestVerbExamples: the example of each command parses, and a wrong line is answered with its forms.
func TestVerbExamples(t *testing.T) {
	for _, v := range story.Verbs() {
		for _, usage := range v.Usage {
			if usage != v.Name && !strings.HasPrefix(usage, v.Name+" ") {
				t.Errorf("%s: usage %q does not begin with the name", v.Name, usage)
			}
		}
		parsed, err := story.Parse("x.txtar",
			[]byte(v.Example+"\n-- machine.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n-- tree.txt --\n"))
		if err != nil {
			t.Errorf("%s: the example %q does not parse: %v", v.Name, v.Example, err)
		} else if len(parsed.Steps) != 1 {
			t.Errorf("%s: the example %q has %d commands", v.Name, v.Example, len(parsed.Steps))
		}
		_, err = story.Parse("x.txtar", []byte(v.Name+" a b c d e f\n"))
		if err == nil && v.Name != "apply" {
			t.Errorf("%s takes any arguments", v.Name)
		}
	}
}

func languagePage() string {
	var b strings.Builder
	b.WriteString("# The story language\n\n" +
		"Generated from the commands of the parser by `go test ./proof/story -update`; do not edit. `tristate play --help` lists the same commands.\n\n" +
		"A story is a test of conditions over time: objects, leaf conditions, a clock, and the conditions expected. `tristate play` runs it in memory on virtual\n" +
		"time, or on a cluster with `--live`. `tristate init KIND.GROUP` writes a first one, and " +
		"[the stories of Cluster API](../systems/cluster-api/stories) are more.\n\n## Rules\n\n")
	for _, rule := range story.Syntax() {
		fmt.Fprintf(&b, "- %s\n", rule)
	}
	b.WriteString("\n## Commands\n")
	for _, v := range story.Verbs() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n```text\n%s\n```\n\nFor example `%s`.\n", v.Name, v.Meaning, strings.Join(v.Usage, "\n"), v.Example)
	}
	return b.String()
}
