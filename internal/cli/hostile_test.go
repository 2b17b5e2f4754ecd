// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
)

// TestHostile: the commands of the contract end with a clear error, or with an answer, for any input. The inputs are as small as the
// limits that they exceed allow.
func TestHostile(t *testing.T) {
	const (
		catalogHead = "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: x.example.com}\n"
		crdHead     = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x.example.com}\n"
		objectHead  = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x}\n"
		rulesHead   = "groups:\n- name: x\n"
		good        = catalogHead +
			"spec:\n  for: {group: example.com, kind: X}\n  conditions:\n  - type: T\n    meaning: It turns.\n    role: summary\n    polarity: positive\n" +
			"    reasons: [{reason: R, status: \"True\", meaning: Nothing is wrong.}, {reason: S, status: \"False\", meaning: The axle is stuck.}]\n"
	)
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	cycle, dashes := "spec: &s {x: *s}\n", "spec:\n  "+strings.Repeat("- ", 20_000)+"x\n"
	flow, large := "spec: "+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"\n", "spec: {a: "+strings.Repeat("x", 17<<20)+"}\n"
	expression := func(text string) string {
		return strings.Replace(good, "  conditions:", "  paused: '"+text+"'\n  conditions:", 1)
	}
	table := "# X\n\n| Type | Status | Reason |\n|---|---|---|\n"

	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"good.yaml":         good,
		"bomb.yaml":         catalogHead + bomb.String(),
		"cycle.yaml":        catalogHead + cycle,
		"dashes.yaml":       catalogHead + dashes,
		"flow.yaml":         catalogHead + flow,
		"large.yaml":        catalogHead + large,
		"bomb-crd.yaml":     crdHead + bomb.String(),
		"cycle-crd.yaml":    crdHead + cycle,
		"dashes-crd.yaml":   crdHead + dashes,
		"flow-crd.yaml":     crdHead + flow,
		"large-crd.yaml":    crdHead + large,
		"bomb-object.yaml":  objectHead + bomb.String(),
		"cycle-object.yaml": objectHead + cycle,
		"large-object.yaml": objectHead + large,
		"deep-object.json": `{"apiVersion":"v1","kind":"Widget","metadata":{"name":"x"},"data":` + strings.Repeat("[", 200_000) +
			strings.Repeat("]", 200_000) + "}",
		"rules.yaml":  rulesHead + dashes,
		"query.yaml":  rulesHead + "  rules:\n  - {alert: A, expr: '" + strings.Repeat("(", 50_000) + "1'}\n",
		"except.yaml": "apiVersion: tristate.dev/v1alpha1\nkind: CheckExceptions\n" + bomb.String(),
		"long.yaml":   expression(strings.Repeat("self.a + ", 50_000) + "self.b"),
		"parens.yaml": expression(strings.Repeat("(", 40_000) + "true" + strings.Repeat(")", 40_000)),
		"large.md":    table + strings.Repeat("| `T` | True | `R` |\n", 17<<20/21),
		"line.md":     table + strings.Repeat("|", 1<<20) + "\n",
		"heads.md":    strings.Repeat("# X\n| Type | Reason |\n|---|---|\n| A | B |\n", 5_000),
		"fences.md":   strings.Repeat("```yaml\nstatus:\n  conditions:\n  - {type: A}\n```\n", 3_000),
		"ticks.md":    strings.Repeat("`", 1<<20),
		"bomb.md":     "# X\n```yaml\nstatus:\n  conditions: [{type: T}]\n" + bomb.String() + "```\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		"check bomb.yaml":                      `1 bomb\.yaml:\d+:\d+: error: `,
		"check cycle.yaml":                     `1 cycle\.yaml:\d+:\d+: error: `,
		"check dashes.yaml":                    `1 dashes\.yaml:5:3: error: not YAML: exceeded max depth`,
		"check flow.yaml":                      `1 flow\.yaml:4:1: error: not YAML: exceeded max depth`,
		"check large.yaml":                     `1 large\.yaml:1:1: error: file has \d+ bytes, more than \d+`,
		"check bomb-crd.yaml":                  `1 bomb-crd\.yaml:1:1: error: .*excessive aliasing`,
		"check cycle-crd.yaml":                 `1 cycle-crd\.yaml:1:1: error: .*contains itself`,
		"check dashes-crd.yaml":                `1 dashes-crd\.yaml:1:1: error: .*max depth`,
		"check flow-crd.yaml":                  `1 flow-crd\.yaml:1:1: error: the YAML document is nested more than`,
		"check large-crd.yaml":                 `1 large-crd\.yaml:1:1: error: the YAML document has 17 MiB, more than 16`,
		"check bomb-object.yaml":               `1 bomb-object\.yaml:1:1: error: .*excessive aliasing`,
		"check cycle-object.yaml":              `1 cycle-object\.yaml:1:1: error: .*contains itself`,
		"check large-object.yaml":              `1 large-object\.yaml:1:1: error: the YAML document has 17 MiB, more than 16`,
		"check deep-object.json":               `1 deep-object\.json:1:1: error: not JSON: .*max depth`,
		"check rules.yaml":                     `1 rules\.yaml:1:1: error: not YAML: .*max depth`,
		"check query.yaml":                     `0 query\.yaml:4:22: warning: the expression of A cannot be read: nested more than`,
		"check except.yaml":                    `1 except\.yaml:3:1: error: unknown key "a0"`,
		"check long.yaml":                      `1 long\.yaml:6:11: error: expression .*limit`,
		"check parens.yaml":                    `1 parens\.yaml:6:11: error: `,
		"check large.md":                       `1 large\.md:1:1: error: the document has 17 MiB, more than 4`,
		"check good.yaml line.md":              `(?s)[01] `,
		"check good.yaml heads.md":             `(?s)[01] `,
		"check fences.md":                      `1 fences\.md:4:1: error: `,
		"check ticks.md":                       `[01] `,
		"check good.yaml bomb.md":              `0 nothing found`,
		"check good.yaml --against large.yaml": `1 .*large\.yaml:1:1: error: earlier catalog: file has`,
		"check good.yaml --against bomb.yaml":  `1 .*bomb\.yaml:1:1: error: earlier catalog: `,

		"diff good.yaml bomb.yaml":   `2 tristate: bomb\.yaml:\d+:\d+: `,
		"diff cycle.yaml good.yaml":  `2 tristate: cycle\.yaml:\d+:\d+: `,
		"diff good.yaml dashes.yaml": `2 tristate: dashes\.yaml:5:3: not YAML: exceeded max depth`,
		"diff flow.yaml good.yaml":   `2 tristate: flow\.yaml:4:1: not YAML: exceeded max depth`,
		"diff good.yaml large.yaml":  `2 tristate: large\.yaml:1:1: file has \d+ bytes`,
		"diff good.yaml long.yaml":   `0 note: X\.example\.com: when an object is left as it is`,

		"docs --catalogs bomb.yaml":                  `2 tristate: bomb\.yaml:\d+:\d+: `,
		"docs --catalogs dashes.yaml":                `2 tristate: dashes\.yaml:5:3: not YAML: exceeded max depth`,
		"docs --catalogs large.yaml":                 `2 tristate: large\.yaml:1:1: file has \d+ bytes`,
		"docs --catalogs long.yaml":                  `2 tristate: long\.yaml:6:11: .*expression .*limit`,
		"docs --catalogs good.yaml --check large.md": `2 tristate: large\.md: (no region|.* more than)`,
		"docs --catalogs good.yaml --check ticks.md": `2 tristate: ticks\.md: no region`,

		"infer -f bomb-object.yaml":  `2 tristate: bomb-object\.yaml:1: not YAML: .*excessive aliasing`,
		"infer -f cycle-crd.yaml":    `2 tristate: cycle-crd\.yaml:1: not YAML: .*contains itself`,
		"infer -f dashes-crd.yaml":   `2 tristate: dashes-crd\.yaml:5: not YAML: exceeded max depth`,
		"infer -f large-object.yaml": `5 tristate: infer: no condition type found`,
		"infer -f deep-object.json":  `2 tristate: deep-object\.json:1: not JSON: .*max depth`,
	} {
		t.Run(command, func(t *testing.T) {
			var out bytes.Buffer
			a := cli.New()
			a.In, a.Out, a.Err, a.Terminal = strings.NewReader(""), &out, &out, false
			a.Env = func(string) string { return "" }
			a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC) }
			code := a.Run(context.Background(), strings.Fields(command))
			if got := fmt.Sprintf("%d %s", code, &out); !regexp.MustCompile("^" + want).MatchString(got) {
				t.Errorf("want %s\ngot %.600s", want, got)
			}
		})
	}
}
