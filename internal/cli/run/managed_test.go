// SPDX-License-Identifier: Apache-2.0

package run_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/clitest"
	"github.com/tristate/tristate/systems"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// TestRun_proposal: "Following types should be defined in Cluster API": on definitions of version v1beta1, as Cluster API serves them, run
// derives the conditions of the proposal for the kinds that it is asked to manage, and says of the others why nothing is written.
func TestRun_proposal(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	definitions, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, crds := range []string{strings.ReplaceAll(string(definitions), "v1proposal", "v1beta1"), strings.NewReplacer("GROUP",
		namespace+".example.dev", "STATUS", "{type: object, x-kubernetes-preserve-unknown-fields: true}").Replace(lampDefinition)} {
		if err := live.Install(ctx, config, []byte(crds)); err != nil {
			t.Fatal(err)
		}
	}
	client, err := dynamic.NewForConfig(plane.OfTest(config))
	if err != nil {
		t.Fatal(err)
	}
	create := func(group, resource, kind string, spec map[string]any, status string) {
		t.Helper()
		r := client.Resource(schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: resource}).Namespace(namespace)
		_, err := r.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1beta1", "kind": kind,
			"metadata": map[string]any{"name": "prod"}, "spec": spec}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if status == "" {
			return
		}
		if _, err = r.Patch(ctx, "prod", types.MergePatchType, []byte(status), metav1.PatchOptions{FieldManager: "provider"}, "status"); err != nil {
			t.Fatal(err)
		}
	}
	const infrastructure, core = "infrastructure.cluster.x-k8s.io", "cluster.x-k8s.io"
	create(infrastructure, "awsclusters", "AWSCluster", map[string]any{"region": "eu-central-1"},
		`{"status":{"conditions":[{"type":"VPCReady","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"},
		{"type":"SubnetsReady","status":"False","severity":"Warning","reason":"SubnetsReconciliationFailed","message":"no zone","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`)
	create(core, "clusters", "Cluster", map[string]any{"infrastructureRef": map[string]any{"apiVersion": infrastructure + "/v1beta1",
		"kind": "AWSCluster", "name": "prod"}}, "")

	file := filepath.Join(t.TempDir(), "lamps.yaml")
	later := strings.Replace(strings.ReplaceAll(lampCatalog, "GROUP", namespace+".example.dev"), "versions: [v1]", "versions: [v2]", 1)
	if err := os.WriteFile(file, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	a := &cli.App{In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Getenv, Now: time.Now, Name: "tristate"}
	code := a.Run(ctx, []string{"run", "--dry-run", "--kubeconfig", clitest.Kubeconfig(t, config, namespace, ""), "--catalogs", file,
		"--manage", "AWSCluster." + infrastructure + ",Cluster." + core + ",Machine." + core + ",Lamp." + namespace + ".example.dev"})
	if code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"AWSCluster." + infrastructure + "/" + namespace + "/prod\n+ Ready=False", "SubnetsReconciliationFailed (Warning)",
		"Cluster." + core + "/" + namespace + "/prod\n", "+ ClusterInfrastructureReady=False", "2 objects would be written"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not printed", want)
		}
	}
	for _, want := range []string{"Machine." + core + ": there is no object of the kind",
		".example.dev: the API server serves version v1, and the catalog is for v2"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%q is not reported", want)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", out.String(), errs.String())
	}
}
