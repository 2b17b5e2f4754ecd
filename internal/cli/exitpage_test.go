// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/proof/golden"
)

// TestDocumentsExitCodes compares docs/exit-codes.md with the table from which the help of the commands is made as well.
func TestDocumentsExitCodes(t *testing.T) {
	golden.File(t, "../../docs/exit-codes.md", exitPage())
}

// TestExitCodesDocumented: each constant has a meaning, and the help of each command names the codes with which it can end.
func TestExitCodesDocumented(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "exit/exit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				constants[literal.Value] = true
			}
		}
		return true
	})
	for _, c := range cli.ExitCodes() {
		if !constants[fmt.Sprint(c.Code)] || c.Meaning == "" {
			t.Errorf("code %d: no constant or no meaning", c.Code)
		}
		delete(constants, fmt.Sprint(c.Code))
	}
	if len(constants) > 0 {
		t.Errorf("codes without a meaning: %v", constants)
	}
	for _, name := range commandNames() {
		var help bytes.Buffer
		a := cli.New()
		a.Out, a.Err = &help, &help
		if code := a.Run(context.Background(), append(strings.Fields(name), "--help")); code != exit.OK {
			t.Errorf("%s --help: exit code %d", name, code)
		}
		for _, c := range cli.EndingsOf(name) {
			if line := fmt.Sprintf("%d %s", c.Code, c.Meaning); !strings.Contains(help.String(), line) {
				t.Errorf("%s --help lacks %q", name, line)
			}
		}
	}
}

// commandNames are the commands that help lists and that run, without the name of the program.
func commandNames() []string {
	var out []string
	var visit func(*cobra.Command, string)
	visit = func(c *cobra.Command, name string) {
		if name != "" && c.Runnable() {
			out = append(out, name)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" {
				visit(sub, strings.TrimSpace(name+" "+sub.Name()))
			}
		}
	}
	visit(cli.New().Command(), "")
	return out
}

func exitPage() string {
	var worst []string
	for _, code := range exit.Severity {
		worst = append(worst, fmt.Sprint(code))
	}
	var b strings.Builder
	b.WriteString("# Exit codes\n\n" +
		"Generated from the commands by `go test ./internal/cli -run TestDocumentsExitCodes -update`; do not edit. `tristate COMMAND --help` ends with the codes of the command.\n\n" +
		"A code means the same in every command. A script can rely on two things: 3 is only for an object that failed, so a rollback can hang on it; a wrong flag or\n" +
		"kubeconfig is always 2 and an unreachable server always 6. Where several apply the worst is returned, in this order: " +
		strings.Join(worst, ", ") + ".\n\n" +
		"An answer has one of three outcomes, which `-o json` has as `answer`:\n\n" +
		"| `answer` | Exit code | When |\n|---|---|---|\n" +
		"| `complete` | as the verdicts demand | everything was read |\n" +
		"| `incomplete` | as the verdicts demand | something could not be read, and the answer does not depend on it; a line on standard error, and `errors` in JSON, name it |\n" +
		"| `unknown` | 6 | nothing was seen, or the answer depends on something that could not be read: in `errors` that is `decisive` |\n\n" +
		"| Code | Meaning |\n|---|---|\n")
	for _, c := range cli.ExitCodes() {
		fmt.Fprintf(&b, "| %d | %s |\n", c.Code, c.Meaning)
	}
	b.WriteString("\n## By command\n\nEvery command returns 0, 2 for a wrong command line or file, and 130 when it is interrupted. Besides:\n\n| Command | Code | Meaning |\n|---|---|---|\n")
	for _, name := range commandNames() {
		if strings.Contains(name, " ") {
			continue // as the command above it
		}
		for _, c := range cli.EndingsOf(name) {
			if c.Code == exit.Usage || c.Code == exit.Interrupted || c.Code == exit.OK && c.Meaning == cli.ExitCodes()[0].Meaning {
				continue
			}
			fmt.Fprintf(&b, "| `tristate %s` | %d | %s |\n", name, c.Code, c.Meaning)
		}
	}
	return b.String()
}
