// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/cli"
)

// pagesOf are the reference pages of the catalogs that come with the command, by name, with their titles.
var pagesOf = map[string]string{
	"kars": "Conditions of kars", "vworkspace": "Conditions of the vWorkspace operator", "kro": "Conditions of kro",
	"kpt": "Conditions by the rules of kpt", "cluster-api": "Conditions of Cluster API",
	"kubernetes": "Conditions of Kubernetes",
}

func docs(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	a := cli.New()
	a.Out, a.Err = &out, &out
	return a.Run(context.Background(), append([]string{"docs"}, args...)), out.String()
}

// TestPages: the pages of conditions are the output of tristate docs for the catalogs, and an edited word is found. With -update they
// are written again.
func TestPages(t *testing.T) {
	t.Chdir("../..")
	for name, title := range pagesOf {
		page, source := "systems/"+name+"/conditions.md", "systems/"+name+"/catalog.yaml"
		if name == "kubernetes" {
			page, source = "docs/kubernetes.md", "catalogs/kubernetes"
		}
		args := []string{"--catalogs", source, "--page", "--title", title}
		if *update {
			if code, out := docs(t, append(args, page)...); code != exit.OK {
				t.Fatalf("%s: exit code %d\n%s", page, code, out)
			}
		}
		if code, out := docs(t, append(args, "--check", page)...); code != exit.OK {
			t.Errorf("exit code %d, write the page again with -update\n%s", code, out)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		at := len(lines) / 2
		for !strings.Contains(lines[at], "e") {
			at++
		}
		lines[at] = strings.Replace(lines[at], "e", "E", 1)
		edited := filepath.Join(t.TempDir(), name+".md")
		if err := os.WriteFile(edited, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		if code, out := docs(t, append(args, "--check", edited)...); code != exit.Findings || !strings.Contains(out, name+".md:") {
			t.Errorf("%s: one edited letter: exit code %d\n%s", page, code, out)
		}
	}
	found, err := filepath.Glob("systems/*/catalog.yaml")
	if err != nil || len(found) != len(pagesOf)-1 { // Kubernetes is not a system
		t.Errorf("%d systems have a catalog, %d a page of conditions: %v", len(found), len(pagesOf)-1, err)
	}
}
