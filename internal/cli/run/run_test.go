// SPDX-License-Identifier: Apache-2.0

package run_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

const lampCatalog = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.GROUP}
spec:
  for: {group: GROUP, kind: Lamp, versions: [v1]}
  conditions:
  - type: Ready
    meaning: It shines.
    derive: {summary: {of: [Powered]}}
  - {type: Powered, meaning: It has power., reasons: [{reason: PowerOn, status: "True", meaning: Yes.}, {reason: Cut, status: "False", meaning: No.}]}
`

const lampDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema: {type: object, properties: {status: STATUS}}
`

// TestRunAndRelease: run without --manage writes nothing; with --dry-run it prints what it would write; what it then wrote, by apply or by
// merge patch, release takes out, and nothing else.
func TestRunAndRelease(t *testing.T) {
	for name, status := range map[string]string{
		"list map": `{type: object, properties: {conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type],
        items: {type: object, required: [type], properties: {type: {type: string}}, x-kubernetes-preserve-unknown-fields: true}}}}`,
		"atomic": `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
	} {
		t.Run(name, func(t *testing.T) {
			config := plane.ForTest(t)
			namespace := plane.Namespace(t, config)
			group := namespace + ".example.dev"
			fill := strings.NewReplacer("GROUP", group, "STATUS", status).Replace
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			if err := live.Install(ctx, config, []byte(fill(lampDefinition))); err != nil {
				t.Fatal(err)
			}
			client, err := dynamic.NewForConfig(plane.OfTest(config))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}).
					Delete(context.Background(), "lamps."+group, metav1.DeleteOptions{})
			})
			lamps := client.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "lamps"}).Namespace(namespace)
			_, err = lamps.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": "Lamp",
				"metadata": map[string]any{"name": "a", "labels": map[string]any{"a": "b"}}}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			leaf := `{"status":{"conditions":[{"type":"Powered","status":"False","reason":"Cut","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`
			if _, err = lamps.Patch(ctx, "a", types.MergePatchType, []byte(leaf), metav1.PatchOptions{FieldManager: "leaf"}, "status"); err != nil {
				t.Fatal(err)
			}
			says := func() string {
				o, err := lamps.Get(ctx, "a", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				var out []string
				list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
				for _, entry := range list {
					c := entry.(map[string]any)
					out = append(out, fmt.Sprintf("%v=%v", c["type"], c["status"]))
				}
				return strings.Join(out, " ")
			}
			file := filepath.Join(t.TempDir(), "lamps.yaml")
			if err := os.WriteFile(file, []byte(fill(lampCatalog)), 0o600); err != nil {
				t.Fatal(err)
			}
			kubeconfig := clitest.Kubeconfig(t, config, namespace, "")
			command := func(ctx context.Context, args ...string) (string, string, int) {
				var out, errs bytes.Buffer
				a := &cli.App{In: strings.NewReader(""), Out: &out, Err: &errs, Env: os.Getenv, Now: time.Now, Name: "tristate"}
				code := a.Run(ctx, append(args, "--catalogs", file, "--no-embedded", "--kubeconfig", kubeconfig))
				return out.String(), errs.String(), code
			}
			expect := func(want string, args ...string) {
				t.Helper()
				out, errs, code := command(ctx, args...)
				if diff := cmp.Diff(want, out); diff != "" || code != exit.OK {
					t.Errorf("%v: exit code %d (-want +got):\n%s\n%s", args, code, diff, errs)
				}
			}
			lamp := "Lamp." + group + "/" + namespace + "/a"
			expect("0 objects would be written\n", "run", "--dry-run")
			expect(lamp+"\n+ Ready=False Cut: Powered(Cut)\n1 object would be written\n", "run", "--dry-run", "--manage", "Lamp")
			if got, want := says(), "Powered=False"; got != want {
				t.Errorf("a dry run wrote: want %s, got %s", want, got)
			}
			if _, errs, code := command(ctx, "run", "--manage", "Lump"); code != exit.Usage || !strings.Contains(errs, "known are Lamp."+group) {
				t.Errorf("an unknown kind: exit code %d, %s", code, errs)
			}
			running, stop := context.WithCancel(ctx)
			ended := make(chan int, 1)
			go func() {
				_, _, code := command(running, "run", "--manage", "Lamp."+group)
				ended <- code
			}()
			for says() != "Powered=False Ready=False" && ctx.Err() == nil {
				time.Sleep(20 * time.Millisecond)
			}
			stop()
			<-ended
			expect("0 objects would be written\n", "run", "--dry-run", "--manage", "Lamp")
			expect(namespace+"/Lamp/a: Ready\n1 object would be released\n", "release", "Lamp", "--dry-run", "-n", namespace)
			expect(namespace+"/Lamp/a: Ready\n1 object released\n", "release", "Lamp", "-n", namespace)
			if got, want := says(), "Powered=False"; got != want {
				t.Errorf("released: want %s, got %s", want, got)
			}
			expect("0 objects released\n", "release", "Lamp", "-n", namespace)
			if name != "list map" { // an atomic list has one owner
				return
			}
			running, stop = context.WithCancel(ctx)
			go func() {
				_, _, code := command(running, "run", "--manage", "Lamp."+group)
				ended <- code
			}()
			for says() != "Powered=False Ready=False" && ctx.Err() == nil {
				time.Sleep(20 * time.Millisecond)
			}
			stop()
			<-ended
			// A second writer applies the same condition, and drops it later: nothing of it may be left.
			second := func(conditions ...any) {
				t.Helper()
				o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": "Lamp",
					"metadata": map[string]any{"name": "a"},
					"status":   map[string]any{"conditions": conditions}}}
				if _, err := lamps.ApplyStatus(ctx, "a", o, metav1.ApplyOptions{FieldManager: "second", Force: true}); err != nil {
					t.Fatal(err)
				}
			}
			var ready map[string]any
			o, err := lamps.Get(ctx, "a", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
			for _, entry := range list {
				if c, _ := entry.(map[string]any); c["type"] == "Ready" {
					ready = c
				}
			}
			second(ready)
			if got := owners(t, lamps, "a"); !slices.Contains(got, "tristate") || !slices.Contains(got, "second") {
				t.Errorf("before the release: owners %v, want tristate and second", got)
			}
			expect(namespace+"/Lamp/a: Ready given up: second holds it too\n0 objects released, 1 given up: the conditions stay, as another manager holds them too\n",
				"release", "Lamp", "-n", namespace)
			if got := owners(t, lamps, "a"); slices.Contains(got, "tristate") {
				t.Errorf("after the release: owners %v, tristate is one", got)
			}
			second()
			if got, want := says(), "Powered=False"; got != want {
				t.Errorf("after the second writer dropped it: want %s, got %s", want, got)
			}
		})
	}
}

// owners returns the managers of the status of an object.
func owners(t *testing.T, client dynamic.ResourceInterface, name string) []string {
	t.Helper()
	o, err := client.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range o.GetManagedFields() {
		if f.Subresource == "status" {
			out = append(out, f.Manager)
		}
	}
	return out
}
