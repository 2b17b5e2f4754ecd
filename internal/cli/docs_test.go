// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
)

// TestDocuments executes the README and the pages of docs: a console block shows the output of its commands, an excerpt is in the file that
// its first line names, and a make target exists. With -update console blocks are written again.
func TestDocuments(t *testing.T) {
	t.Chdir("../..")
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "docs/reading.md", "docs/rule-packs.md", "docs/guide-first-operator.md",
		"docs/library.md", "docs/migrate-from-apimachinery.md",
		"docs/migrate-from-cluster-api.md", "docs/migrate-from-flux.md",
		"docs/migrate-from-knative.md", "docs/migrate-from-operatorpkg.md", "docs/operation.md", "docs/serve.md", "docs/comparison.md",
		"docs/ci.md", "docs/page.md", "docs/exports/argocd.md", "docs/exports/flux.md", "docs/exports/kstatus.md", "docs/testing.md",
		"docs/troubleshooting.md", "docs/versions.md", "systems/kpt/README.md"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := string(data)
			got := fence.ReplaceAllStringFunc(want, func(block string) string {
				m := fence.FindStringSubmatch(block)
				language, body := m[1], m[2]
				switch language {
				case "console":
					return "```console\n" + session(t, body) + "```\n"
				case "go", "yaml":
					excerpt(t, body)
				case "sh":
					commands(t, body)
				default:
					t.Errorf("a block of %q, which nothing executes:\n%s", language, body)
				}
				return block
			})
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s differs from what the commands print (-written +printed), rewrite with -update:\n%s", name, diff)
			}
		})
	}
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```\n")

// session runs the commands of a block and returns the block with their output.
func session(t *testing.T, body string) string {
	var out strings.Builder
	for line := range strings.Lines(body) {
		command, ok := strings.CutPrefix(line, "$ tristate ")
		if !ok {
			continue
		}
		var printed bytes.Buffer
		a := cli.New()
		a.In, a.Out, a.Err, a.Terminal = strings.NewReader(""), &printed, &printed, false
		a.Env = func(string) string { return "" }
		a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC) }
		if code := a.Run(context.Background(), strings.Fields(command)); code != exit.OK && code != exit.Findings && code != exit.Failed {
			t.Errorf("tristate %s: exit code %d\n%s", strings.TrimSpace(command), code, &printed)
		}
		fmt.Fprintf(&out, "%s%s", line, &printed)
	}
	if out.Len() == 0 {
		t.Errorf("a console block without a command:\n%s", body)
	}
	return out.String()
}

// excerpt looks for a block in the file that its first line names.
func excerpt(t *testing.T, body string) {
	head, rest, _ := strings.Cut(body, "\n")
	file := strings.TrimLeft(head, "/# ")
	data, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Errorf("the first line of a block names its file: %v", err)
	} else if !strings.Contains(string(data), rest) {
		t.Errorf("%s does not contain this excerpt:\n%s", file, rest)
	}
}

// target looks for the targets of a call of make: FOLDER/TARGET, as -C FOLDER TARGET, is one of the Makefile of that folder.
func target(t *testing.T, words []string) {
	base := ""
	if words[0] == "-C" {
		base, words = words[1], words[2:]
	}
	for _, word := range words {
		if strings.HasPrefix(word, "#") {
			break
		}
		if strings.Contains(word, "=") {
			continue
		}
		folder, name := path.Split(word)
		makefile, err := os.ReadFile(filepath.Join(base, folder, "Makefile"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(makefile), "\n"+name+":") {
			t.Errorf("there is no target %q", word)
		}
	}
}

// commands looks for the targets of make, and for the commands and flags of ours.
func commands(t *testing.T, body string) {
	for line := range strings.Lines(body) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "make":
			target(t, words[1:])
		case len(words) > 1 && words[0] == "tristate":
			var help bytes.Buffer
			a := cli.New()
			a.Out, a.Err = &help, &help
			named := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") || word == "|" })
			if named < 0 {
				named = len(words)
			}
			if code := a.Run(context.Background(), append(slices.Clone(words[1:named]), "--help")); code != exit.OK {
				t.Errorf("%s: %s", strings.TrimSpace(line), &help)
			}
			for _, word := range words[2:] {
				if flag, ok := strings.CutPrefix(word, "--"); ok && !strings.Contains(help.String(), "--"+flag+" ") {
					t.Errorf("tristate %s has no flag --%s", words[1], flag)
				}
			}
		}
	}
}
