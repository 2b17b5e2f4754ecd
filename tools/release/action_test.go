// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestAction: the action of GitHub ends with the exit code of the wait. The words of a cluster neither end the fence of the summary nor
// are a command of the runner.
func TestAction(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []struct{ Name, Run string }
		}
	}
	if err := yaml.Unmarshal(read(t, "../../action.yml"), &action); err != nil {
		t.Fatal(err)
	}
	script := ""
	for _, step := range action.Runs.Steps {
		if step.Name == "wait" {
			script = step.Run
		}
	}
	const hostile = "Pod/web ![x](https://example.com/x.png)\n``````````\n::set-env name=PATH::/tmp\n<img src=x>"
	dir := t.TempDir()
	program := "#!/bin/sh\n[ \"$1\" = wait ] && { echo \"$@\" > " + filepath.Join(dir, "args") + "; exit 3; }\ncat " + filepath.Join(dir, "text")
	for name, content := range map[string]string{"tristate": program, "text": hostile + "\n", "summary": "", "output": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", script)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TARGETS=deploy/web job/migrate", "FILES=", "NAMESPACE=shop",
		"TIMEOUT=1m", "JUNIT=", "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		t.Fatalf("exit code %d, want that of the wait\n%s", code, out)
	}
	if got := string(read(t, filepath.Join(dir, "args"))); got != "wait deploy/web job/migrate -n shop --timeout 1m\n" {
		t.Errorf("it runs tristate %s", got)
	}
	if got := string(read(t, filepath.Join(dir, "output"))); got != "code=3\n" {
		t.Errorf("the output is %q", got)
	}
	_, fenced, found := strings.Cut(string(read(t, filepath.Join(dir, "summary"))), "\n``````````text\n")
	body, after, closed := strings.Cut(fenced, "\n``````````\n")
	if !found || !closed || after != "" || !strings.Contains(body, "![x]") || !strings.Contains(body, "<img") {
		t.Errorf("the summary is not one fenced text:\n%s", fenced)
	}
	stop, rest, _ := strings.Cut(string(out[strings.Index(string(out), "::stop-commands::")+len("::stop-commands::"):]), "\n")
	before, _, resumed := strings.Cut(rest, "\n::"+stop+"::")
	if !resumed || !strings.Contains(before, "::set-env") {
		t.Errorf("the text is not between a stop of commands and its end:\n%s", out)
	}
}
