// SPDX-License-Identifier: Apache-2.0

package campaign_test

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
)

//go:embed testdata/charts.tsv
var chartList string

// notRun are kinds of which no healthy object is possible where no container runs: what they lead to would have to answer.
var notRun = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "APIService"}

// patience is how long a chart may take to become healthy.
const patience = 5 * time.Minute

// TestCharts: nothing is named of published charts that were installed as they are. They are not in the repository: TRISTATE_CHARTS is a
// folder in which each is at REPOSITORY/PATH of testdata/charts.tsv, with its dependencies; those that are not there are reported.
func TestCharts(t *testing.T) {
	folder := os.Getenv("TRISTATE_CHARTS")
	if folder == "" {
		t.Skip("TRISTATE_CHARTS names no folder with the charts of testdata/charts.tsv")
	}
	s := start(t)
	s.create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
		"provisioner": "kubernetes.io/no-provisioner", "metadata": map[string]any{"name": "default",
			"annotations": map[string]any{"storageclass.kubernetes.io/is-default-class": "true"}}}})
	for _, node := range s.items("Node", "", metav1.ListOptions{}) { // what kubelets write, and KWOK does not
		s.patch("Node/"+node.GetName(), map[string]any{"metadata": map[string]any{"labels": map[string]any{"kubernetes.io/os": "linux"}}}, "")
		room := map[string]any{"ephemeral-storage": "1Ti"}
		s.patch("Node/"+node.GetName(), map[string]any{"status": map[string]any{"capacity": room, "allocatable": room}}, "status")
	}
	healthy, absent := 0, []string(nil)
	for line := range strings.Lines(chartList) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(fields) != 4 {
			continue
		}
		name, chart := fields[0], filepath.Join(folder, fields[1])
		if _, err := os.Stat(filepath.Join(chart, "Chart.yaml")); err != nil {
			absent = append(absent, name)
			continue
		}
		objects := s.install(name, chart, strings.Fields(fields[3]))
		if causes := s.left(name); len(causes) > 0 {
			t.Errorf("%s: of %d objects\n%s", name, objects, strings.Join(causes, "\n"))
		} else {
			healthy++
			t.Logf("%s %s: %d objects, nothing named", name, fields[2], objects)
		}
	}
	t.Logf("%d charts are healthy; not there: %s", healthy, strings.Join(absent, " "))
}

// install applies what Helm makes of a chart, in a namespace with its name, and returns of how many objects.
func (s *shop) install(name, chart string, flags []string) int {
	s.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		s.Fatal(err)
	}
	helm := exec.CommandContext(s.Context(), "go", append([]string{"tool", "-modfile=" + root + "/tools/helm/go.mod", "helm", "template", name,
		chart, "--namespace", name, "--include-crds", "--no-hooks", "--skip-tests", "--kube-version", "1.36.0"}, flags...)...)
	helm.Env = append(os.Environ(), "GOWORK=off")
	out, err := helm.Output()
	if err != nil {
		s.Fatalf("%s: %v\n%s", name, err, err.(*exec.ExitError).Stderr)
	}
	first := []*unstructured.Unstructured{{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
		"name": name}}}}
	var then []*unstructured.Unstructured
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 1<<20); ; {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			s.Fatalf("%s: %v", name, err)
		}
		switch {
		case u.GetKind() == "CustomResourceDefinition":
			first = append(first, u)
		case u.GetKind() != "" && !slices.Contains(notRun, u.GetKind()):
			then = append(then, u)
		}
	}
	applied := s.write(name, first)
	for _, u := range first[1:] {
		s.established(u.GetName())
	}
	s.mapper.Reset()
	return applied + s.write(name, then)
}

// write applies objects, in the namespace of their chart where they name none, and returns how many. Kinds that are not served are left
// out.
func (s *shop) write(namespace string, objects []*unstructured.Unstructured) (applied int) {
	s.Helper()
	for _, u := range objects {
		gvk := u.GroupVersionKind()
		m, err := s.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			s.Logf("%s: %s is not served", namespace, gvk.Kind)
			continue
		}
		client := dynamic.ResourceInterface(s.client.Resource(m.Resource))
		if m.Scope.Name() == meta.RESTScopeNameNamespace {
			client = s.client.Resource(m.Resource).Namespace(cmp.Or(u.GetNamespace(), namespace))
		}
		if _, err := client.Apply(s.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: "helm", Force: true}); err != nil {
			s.Errorf("%s: %s/%s: %v", namespace, u.GetKind(), u.GetName(), err)
		}
		applied++
	}
	return applied
}

// established waits until a definition is served.
func (s *shop) established(name string) {
	s.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		u, err := s.client.Resource(definitions).Get(s.Context(), name, metav1.GetOptions{})
		if err == nil && strings.Contains(fmt.Sprint(u.Object["status"]), "InitialNamesAccepted") {
			return
		}
	}
	s.Fatalf("%s is not established", name)
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// left returns the causes that are left in the namespace of a chart when it has come to rest. Volumes, and addresses of load balancers, are
// played.
func (s *shop) left(namespace string) (causes []string) {
	s.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Second) {
		for _, claim := range s.items("PersistentVolumeClaim", namespace, metav1.ListOptions{}) {
			spec, _, _ := unstructured.NestedMap(claim.Object, "spec")
			if spec["volumeName"] != nil || s.saved[string(claim.GetUID())] != nil {
				continue
			}
			s.saved[string(claim.GetUID())] = &claim
			s.create(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "PersistentVolume",
				"metadata": map[string]any{"name": "pv-" + string(claim.GetUID())},
				"spec": map[string]any{"storageClassName": spec["storageClassName"], "accessModes": spec["accessModes"],
					"capacity": spec["resources"].(map[string]any)["requests"], "hostPath": map[string]any{"path": "/data"},
					"claimRef": map[string]any{"namespace": namespace, "name": claim.GetName()}}}})
		}
		address := map[string]any{"status": map[string]any{"loadBalancer": map[string]any{"ingress": []any{map[string]any{"ip": "192.0.2.1"}}}}}
		for _, kind := range []string{"Service", "Ingress"} {
			for _, u := range s.items(kind, namespace, metav1.ListOptions{}) {
				if kind == "Service" && u.Object["spec"].(map[string]any)["type"] != "LoadBalancer" {
					continue
				}
				data, _ := json.Marshal(address)
				_, err := s.resourceIn(kind, namespace).Patch(s.Context(), u.GetName(), strategic, data, metav1.PatchOptions{}, "status")
				if err != nil {
					s.Fatal(err)
				}
			}
		}
		if causes = s.causes("-n", namespace, "--kubeconfig", s.kubeconfig); len(causes) == 0 {
			return nil
		}
	}
	return causes
}
