// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// TestDump: for a dump of objects, in any form, the answers and exit codes are those for the cluster.
func TestDump(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(clitest.Deployment)
	b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.org/hold]}}")
	held := clitest.Object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: held}}")
	if err := b.Resource(held).Delete(t.Context(), "held", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		if _, err := b.Resource(held).Patch(context.Background(), "held", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Error(err)
		}
	})
	// The controllers are done once no verdict is in progress.
	pods := b.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace(b.Namespace)
	b.Until(func() ([]unstructured.Unstructured, error) {
		list, err := pods.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}, func(unstructured.Unstructured) bool { return true })
	code, last, _ := b.Wait(nil, "deploy/web", "--for",
		"cel=self.status.observedGeneration == self.metadata.generation && self.status.unavailableReplicas == 1")
	b.Ends(code, last, "Met", 0)

	resources := []schema.GroupVersionResource{{Version: "v1", Resource: "configmaps"},
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "apps", Version: "v1", Resource: "replicasets"}, {Version: "v1", Resource: "pods"}}
	all := map[string]any{"apiVersion": "v1", "kind": "List"}
	var items []any
	var documents []string
	dir := t.TempDir()
	folder := filepath.Join(dir, "must-gather", "namespaces", b.Namespace)
	write := func(name string, data []byte) string {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	encode := func(v any, marshal func(any) ([]byte, error)) []byte {
		t.Helper()
		data, err := marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	toYAML := func(v any) ([]byte, error) { return yaml.Marshal(v) }
	for _, r := range resources {
		list, err := b.Client.Resource(r).Namespace(b.Namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.Items {
			items = append(items, item.Object)
			documents = append(documents, string(encode(item.Object, toYAML)))
		}
		write(filepath.Join(folder, r.Group, r.Resource+".yaml"), append([]byte("---\n"), encode(list.UnstructuredContent(), toYAML)...))
	}
	all["items"] = items
	inJSON := encode(all, json.Marshal)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(inJSON)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"json":        write(filepath.Join(dir, "all.json"), inJSON),
		"yaml":        write(filepath.Join(dir, "all.yaml"), encode(all, toYAML)),
		"documents":   write(filepath.Join(dir, "documents.yaml"), []byte(strings.Join(documents, "---\n"))),
		"gzip":        write(filepath.Join(dir, "all.json.gz"), packed.Bytes()),
		"must-gather": filepath.Join(dir, "must-gather"),
	}
	now := time.Now() // one moment for all, so that ages are equal
	run := func(args ...string) (int, []string) {
		var out bytes.Buffer
		a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &out, Env: func(string) string { return "" }, Now: func() time.Time { return now },
			Name: "tristate"}
		code := a.Run(t.Context(), args)
		return code, slices.Sorted(strings.Lines(out.String()))
	}
	for _, command := range [][]string{
		{"status", "configmaps,deployments,replicasets,pods", "--exit-code"},
		{"status", "deploy/web", "-o", "json"},
		{"wait", "configmaps,deployments", "--timeout", "0", "-o", "jsonl"},
		{"wait", "cm/kube-root-ca.crt", "--timeout", "0"},
		{"wait", "deploy/none", "--timeout", "0"},
		{"tree", "deploy/web"},
	} {
		wantCode, want := run(append(slices.Clone(command), "--kubeconfig", b.Kubeconfig)...)
		if command[0] == "wait" {
			command = append(command, "--local")
		} else { // the clock of files is the newest time in them, which may be of the second before
			command = append(command, "--at", now.Format(time.RFC3339Nano))
		}
		for form, path := range forms {
			code, got := run(append(slices.Clone(command), "-f", path, "-n", b.Namespace)...)
			if diff := cmp.Diff(want, got,
				cmp.FilterValues(func(a, b string) bool { return strings.Contains(a, `"seconds"`) && strings.Contains(b, `"seconds"`) },
					cmp.Ignore())); diff != "" || code != wantCode {
				t.Errorf("%v, %s: exit code %d, want %d; -cluster +files\n%s", command, form, code, wantCode, diff)
			}
		}
	}
}
