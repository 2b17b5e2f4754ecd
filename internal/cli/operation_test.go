// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/clitest"
	"github.com/tristate/tristate/systems"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// TestOperation executes each command of docs/operation.md on a real API server, with Helm and kubectl: installing with the chart, a first
// kind with its rights, upgrading, removing, and installing again without Helm. It runs alone, as it installs and removes the definition of
// ConditionCatalog.
func TestOperation(t *testing.T) {
	if os.Getenv("TRISTATE_INSTALL") == "" {
		t.Skip("compiles Helm; TRISTATE_INSTALL=1 runs it")
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl: ", err)
	}
	config := plane.ForTest(t)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The commands of the page: the tristate of this test, and the Helm of the tools unless the PATH has one.
	bin := t.TempDir()
	scripts := map[string]string{"tristate": `exec tristate-now "$@"`}
	if _, err := exec.LookPath("helm"); err != nil {
		scripts["helm"] = `GOWORK=off exec go tool -modfile='` + root + `/tools/helm/go.mod' helm "$@"`
	}
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	environment := append(os.Environ(), "KUBECONFIG="+clitest.Kubeconfig(t, config, "default", ""), "PATH="+bin+string(os.PathListSeparator)+
		os.Getenv("PATH"))
	command := func(ctx context.Context, line string) (string, error) {
		c := exec.CommandContext(ctx, "sh", "-c", line)
		c.Dir, c.Env = root, environment
		out, err := c.CombinedOutput()
		return string(out), err
	}
	run := func(lines ...string) (out string) {
		t.Helper()
		for _, line := range lines {
			printed, err := command(ctx, line)
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, printed)
			}
			out += printed
		}
		return out
	}
	page, err := os.ReadFile(root + "/docs/operation.md")
	if err != nil {
		t.Fatal(err)
	}
	block := map[string][]string{} // the commands by the heading above them, those of a second block under "HEADING, 2"
	heading := ""
	for _, part := range strings.Split(string(page), "\n## ")[1:] {
		heading, _, _ = strings.Cut(part, "\n")
		for n, m := range fence.FindAllStringSubmatch(part, -1) {
			if m[1] != "sh" {
				continue
			}
			if n > 0 {
				heading += ", 2"
			}
			block[heading] = strings.Split(strings.TrimSpace(m[2]), "\n")
		}
	}
	for _, heading := range []string{"Install", "Install, 2", "Manage a first kind", "Upgrade", "Remove"} {
		if len(block[heading]) == 0 {
			t.Fatalf("docs/operation.md has no commands under %q: %v", heading, block)
		}
	}

	definitions, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Install(ctx, config, definitions); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(
		run(`kubectl get customresourcedefinition machines.cluster.x-k8s.io -o 'jsonpath={.spec.versions[?(@.storage==true)].name}'`))
	machines := client.Resource(schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: version, Resource: "machines"}).Namespace(
		"default")
	if _, err := machines.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "cluster.x-k8s.io/" + version,
		"kind":     "Machine",
		"metadata": map[string]any{"name": "m", "labels": map[string]any{"a": "b"}}, "spec": map[string]any{"clusterName": "prod",
			"bootstrap":         map[string]any{"dataSecretName": "s"},
			"infrastructureRef": map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "AWSMachine", "name": "m"}}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	managed := func() bool {
		o, err := machines.Get(ctx, "m", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(o.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == "tristate" })
	}

	run(block["Install"]...)
	run("kubectl rollout history deployment/tristate --namespace tristate-system",
		"kubectl wait --for condition=Established customresourcedefinition/conditioncatalogs.tristate.dev")
	if out := run(block["Manage a first kind"]...); !strings.Contains(out, "Machine.cluster.x-k8s.io/default/m") || managed() {
		t.Errorf("a dry run shows nothing of the machine, or wrote it:\n%s", out)
	}
	working, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = command(working, "exec tristate run --manage Machine") // it ends by the context
	}()
	for !managed() && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	end()
	<-ended
	run(block["Upgrade"]...)
	run(block["Remove"]...)
	if managed() {
		t.Error("tristate owns fields of an object that it released")
	}
	const left = "kubectl get all,configmap,serviceaccount,role,rolebinding,clusterrole,clusterrolebinding,poddisruptionbudget -A -l app.kubernetes.io/name=tristate -o name"
	if out := run(left); out != "" {
		t.Errorf("after the removal there are still:\n%s", out)
	}
	run(block["Install, 2"]...)
	run("kubectl get deployment/tristate --namespace tristate-system", "kubectl delete -f deploy/tristate.yaml",
		"kubectl delete -f deploy/chart/crds/")
}
