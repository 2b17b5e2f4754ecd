// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli"
)

// TestLostOutput: a full disk and a closed pipe are noticed by every command, and by the help of each.
func TestLostOutput(t *testing.T) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"x","version":"1"}}}` + "\n"
	lines := []string{
		"status -f example:shop", "status -o json -f example:shop", "status -o name -f example:shop", "tree -f example:shop",
		"tree -o dot -f example:shop", "why -f example:shop", "why -A -f example:shop", "why -o yaml -f example:shop",
		"wait --local -f example:shop", "wait --local -o json -f example:shop", "compare example:shop example:shop", "compare -o json example:shop example:shop",
		"check ../../systems/kars", "check -o sarif ../../systems/kars", "check --list", "check --explain live/status-value",
		"infer -f ../../systems/cluster-api/samples/prod.yaml",
		"diff ../../systems/cluster-api/catalog.yaml ../../systems/cluster-api/catalog-v1beta2.yaml",
		"docs --catalogs ../../systems/kpt", "gen argocd ToolPolicy.kars.azure.com", "test ../../systems/kpt", "play ../../systems/cluster-api/stories",
		"explain Deployment", "version", "--version", "completion bash", "mcp", "init Lamp.example.org",
	}
	var walk func(c *cobra.Command, words []string)
	walk = func(c *cobra.Command, words []string) {
		lines = append(lines, strings.Join(append(slices.Clone(words), "--help"), " "))
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				walk(sub, append(slices.Clone(words), sub.Name()))
			}
		}
	}
	walk(cli.New().Command(), nil)
	run := func(line string, out *os.File) (int, string) {
		var messages bytes.Buffer
		a := cli.New()
		a.In, a.Out, a.Err, a.Terminal = strings.NewReader(initialize), out, &messages, false
		a.Env = func(string) string { return "" }
		a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 18, 5, 0, time.UTC) }
		if strings.HasPrefix(line, "init") {
			line += " --dir " + t.TempDir()
		}
		return a.Run(context.Background(), strings.Fields(line)), messages.String()
	}
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			outputs := map[string]*os.File{}
			if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil { // Linux has it
				outputs["no space left on device"] = full
			}
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			reader.Close()
			outputs["broken pipe"] = writer
			for why, out := range outputs {
				code, messages := run(line, out)
				if code != 2 || !strings.Contains(messages, "write the output") || !strings.Contains(messages, why) {
					t.Errorf("exit code %d, want 2; messages: %.500s; want among them: %s", code, messages, why)
				}
				out.Close()
			}
		})
	}
}
