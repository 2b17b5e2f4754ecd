// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/source/scan"
)

// TestCheck: tristate check finds nothing between the catalogs and this code. Conditions that expressions of a definition make are written
// by sites that name no type, so that no reason is called dead.
func TestCheck(t *testing.T) {
	const file = "../catalog.yaml"
	if code, out := checked(t, file); code != 0 || !strings.HasPrefix(out, "nothing found") || strings.Contains(out, "no source") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// checked runs tristate check over a catalog and the code of the module.
func checked(t *testing.T, catalog string) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	app := cli.New()
	app.Out, app.Err, app.Scan = &stdout, &stderr, scan.Folder
	code := app.Run(t.Context(), []string{"check", catalog, "--no-embedded", "--source", "."})
	return code, stdout.String() + stderr.String()
}
