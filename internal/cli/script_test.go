// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/source/scan"
	"github.com/tristate/tristate/proof/golden"
)

var update = golden.Update

// TestMain lets more tests run at a time than there are processors: some scripts wait for a server that does not answer, the demo and what
// runs in the cluster wait for controllers.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"tristate": func() { run(func(*cli.App) {}) },
		// tristate-now uses the clock, for commands that wait.
		"tristate-now":     func() { run(func(a *cli.App) { a.Now = time.Now }) },
		"tristate-scan":    func() { os.Exit(scan.Main(os.Args[1:], os.Stdout, os.Stderr)) },
		"kubectl-tristate": func() { run(func(a *cli.App) { a.Name = "kubectl tristate" }) },
		// tristate-tty writes as to a terminal of 100 columns.
		"tristate-tty": func() { run(func(a *cli.App) { a.Terminal, a.Width = true, 100 }) },
	})
}

func run(change func(*cli.App)) {
	a := cli.New()
	a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC) }
	change(a)
	os.Exit(a.Main(os.Args[1:]))
}

// TestScripts runs the commands as a user would; testdata/script has their output.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "server": server, "signalled": signalled, "harmless": harmless,
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("KUBECONFIG", e.WorkDir+"/no-kubeconfig")
			for name, path := range map[string]string{"STORIES": "testdata/story", "PROD": "../../systems/cluster-api/samples/prod.yaml",
				"SHOP": "../../examples/shop/shop.yaml"} {
				absolute, err := filepath.Abs(path)
				if err != nil {
					return err
				}
				e.Setenv(name, absolute)
			}
			return nil
		},
	})
}

// harmless runs a command, in whose arguments ␛ stands for an escape sequence, and checks that it prints none: harmless tristate ...
func harmless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: harmless command ...")
	}
	own := make([]string, len(args)-1)
	for i, arg := range args[1:] {
		own[i] = strings.ReplaceAll(arg, "␛", "\x1b[31m")
	}
	_ = ts.Exec(args[0], own...) // with any exit code
	printed := ts.ReadFile("stdout") + ts.ReadFile("stderr")
	if strings.TrimSpace(printed) == "" {
		ts.Fatalf("nothing is printed")
	}
	if i := strings.IndexAny(printed, "\x1b\a\r\u202e"); i >= 0 {
		ts.Fatalf("it prints %q", printed[max(i-20, 0):min(i+20, len(printed))])
	}
}

// code runs a command and checks its exit code: code 5 tristate ...
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command ...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = err.Error()
	}
	if want := args[0]; want == "0" && err == nil || got == "exit status "+want {
		return
	}
	ts.Fatalf("exit code of %v: want %s, got %s", args[1:], args[0], got)
}
