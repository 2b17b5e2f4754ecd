// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/cli"
)

// TestCheck: the code writes every cell that the catalog declares for the operator, and no other. The reasons that are additions to the document
// are held to that as well, which the check leaves out otherwise; what is dead then belongs to the three types that are examples.
func TestCheck(t *testing.T) {
	const file = "../../catalogs/kro.yaml"
	if code, out := checked(t, file); code != 0 || !strings.HasPrefix(out, "nothing found") || strings.Contains(out, "no source") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	strict := filepath.Join(t.TempDir(), "kro.yaml")
	if err := os.WriteFile(strict, bytes.ReplaceAll(data, []byte("addition: proposed, "), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out := checked(t, strict, "--only", "code/dead-reason")
	dead := 0
	for line := range strings.Lines(out) {
		_, what, found := strings.Cut(line, "no code gives reason ")
		if !found {
			continue
		}
		dead++
		if !strings.Contains(what, " of DatabaseReachable") && !strings.Contains(what, " of BackupOverdue") && !strings.Contains(what, " of CostEstimated") {
			t.Errorf("no code gives reason %s", what)
		}
	}
	if dead == 0 {
		t.Errorf("the examples are written by no code, and none of them was found:\n%s", out)
	}
}

// checked runs tristate check over a catalog and the code of the module.
func checked(t *testing.T, catalog string, more ...string) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	app := cli.New()
	app.Out, app.Err = &stdout, &stderr
	code := app.Run(t.Context(), append([]string{"check", catalog, "--no-embedded", "--source", "."}, more...))
	return code, stdout.String() + stderr.String()
}
