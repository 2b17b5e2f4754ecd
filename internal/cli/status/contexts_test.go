// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestContexts: each cluster has a column; one that does not answer and one that forbids do not affect the others.
func TestContexts(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
	file, err := clientcmd.LoadFromFile(b.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	nobody, dead := file.AuthInfos["test"].DeepCopy(), file.Clusters["test"].DeepCopy()
	nobody.Impersonate, dead.Server = "nobody", "https://127.0.0.1:1"
	file.AuthInfos["nobody"], file.Clusters["dead"] = nobody, dead
	file.Contexts = map[string]*clientcmdapi.Context{
		"east":   {Cluster: "test", AuthInfo: "test", Namespace: b.Namespace},
		"west":   {Cluster: "test", AuthInfo: "test", Namespace: b.Namespace},
		"nobody": {Cluster: "test", AuthInfo: "nobody", Namespace: b.Namespace},
		"dead":   {Cluster: "dead", AuthInfo: "test", Namespace: b.Namespace},
		"empty":  {Cluster: "test", AuthInfo: "test", Namespace: "default"},
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
		code := a.Run(t.Context(), append(args, "--kubeconfig", path))
		return code, out.String(), errs.String()
	}

	code, out, errs := run("status", "cm/settings", "--context", "east,west", "--context", "empty")
	want := strings.Fields("NAMESPACE OBJECT east west empty " + b.Namespace + " ConfigMap/settings ✓ Current ✓ Current -")
	if diff := cmp.Diff(want, strings.Fields(out)); diff != "" || code != 0 {
		t.Errorf("exit code %d, %s; -want +got\n%s", code, errs, diff)
	}
	code, out, errs = run("status", "configmaps", "-l", "!kube", "--context", "east,nobody,dead", "--reason", "Static")
	if !strings.Contains(strings.Join(strings.Fields(out), " "), b.Namespace+" ConfigMap/settings ✓ Current ? ?") || code != 6 {
		t.Errorf("exit code %d, got\n%s", code, out)
	}
	for _, want := range []string{`tristate: context nobody: you may not list configmaps`, "tristate: context dead: "} {
		if !strings.Contains(errs, want) {
			t.Errorf("standard error lacks %q:\n%s", want, errs)
		}
	}
	_, out, _ = run("status", "cm/settings", "--context", "east,west", "-o", "json")
	var list struct {
		Items []struct{ Context string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]struct{ Context string }{{"east"}, {"west"}}, list.Items); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	for _, command := range []string{"status", "tree", "why"} {
		code, out, errs := run(command, "cm/settings", "--context", "east,nobody,dead", "-o", "json")
		var answer render.VerdictList
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatalf("%s: %v\n%s%s", command, err, out, errs)
		}
		got := map[string]string{}
		for _, p := range answer.Errors {
			got[p.Context] = p.Reason
		}
		if diff := cmp.Diff(map[string]string{"nobody": "Forbidden", "dead": "Unreachable"}, got); diff != "" || answer.Answer != "unknown" ||
			code != exit.Unknown {
			t.Errorf("%s: exit code %d, answer %s; errors -want +got\n%s", command, code, answer.Answer, diff)
		}
	}

	code, out, errs = run("tree", "cm/settings", "--context", "east,dead,west")
	for _, want := range []string{"context east\nOBJECT              VERDICT    FOR\nConfigMap/settings", "\ncontext dead\n",
		"context west\nOBJECT              VERDICT    FOR\nConfigMap/settings"} {
		if !strings.Contains(out, want) {
			t.Errorf("tree lacks %q:\n%s", want, out)
		}
	}
	if code != exit.Unknown || !strings.Contains(errs, "context dead: ") {
		t.Errorf("tree: exit code %d\n%s", code, errs)
	}
	code, out, _ = run("why", "cm/settings", "--context", "east,west", "-o", "jsonl")
	if code != 0 || strings.Count(out, `"context":"east"`) != 1 || strings.Count(out, `"context":"west"`) != 1 {
		t.Errorf("why: exit code %d\n%s", code, out)
	}
	var clock clitest.Clock
	var complaints bytes.Buffer
	lines := &watched{texts: []string{"\tmet\t", "\tmissing\t"}, then: func() { clock.Step(time.Hour) }}
	a := &cli.App{In: &bytes.Buffer{}, Out: lines, Err: &complaints, Env: func(string) string { return "" }, Now: clock.Now, Ring: clock.Ring,
		Name: "tristate"}
	code = a.Run(t.Context(), []string{"wait", "cm/settings", "--context", "east,empty", "--timeout", "1h", "--kubeconfig", path})
	if errs := complaints.String(); code != exit.NotFound || !strings.Contains(errs, "context empty: ") || strings.Contains(errs, "context east: ") {
		t.Errorf("wait: exit code %d\n%s\n%s", code, &lines.Buffer, errs)
	}
	if code, _, errs = run("tree", "cm/settings", "--context", "east,west", "--watch"); code != exit.Usage {
		t.Errorf("tree --watch: exit code %d\n%s", code, errs)
	}
}

// watched calls a function once each of some texts was written.
type watched struct {
	bytes.Buffer
	texts []string
	then  func()
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	lacks := func(text string) bool { return !bytes.Contains(w.Bytes(), []byte(text)) }
	if w.then != nil && !slices.ContainsFunc(w.texts, lacks) {
		w.then()
		w.then = nil
	}
	return n, err
}
