// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLive runs commands that start a control plane or need one; testdata/live has their output.
func TestLive(t *testing.T) {
	t.Parallel()
	localplane, err := filepath.Abs("../../bin/localplane")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(localplane); err != nil {
		if os.Getenv("TRISTATE_REQUIRE_PLANE") != "" {
			t.Fatal(err)
		}
		t.Skip("bin/localplane has not been built; run: make bin/localplane")
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/live",
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"code": code},
		Condition: func(name string) (bool, error) {
			if name != "install" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return os.Getenv("TRISTATE_INSTALL") != "", nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("LOCALPLANE", localplane)
			e.Setenv("KUBECONFIG", e.WorkDir+"/no-kubeconfig")
			return nil
		},
	})
}
