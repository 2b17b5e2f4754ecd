// SPDX-License-Identifier: Apache-2.0

package broken

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/kubectl/pkg/cmd/wait"
	"k8s.io/kubectl/pkg/polymorphichelpers"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the table of docs/comparison.md again")

const page = "../../../docs/comparison.md"

// The table is between these lines of the page.
const begin, end = "<!-- twelve broken objects: begin -->\n", "<!-- twelve broken objects: end -->\n"

// noon is when the objects are judged: long after what happened to them.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestComparison asks each tool about each object, by the tool's own code.
func TestComparison(t *testing.T) {
	data, err := os.ReadFile("testdata/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	engine := pack.Default(set)
	var table strings.Builder
	table.WriteString("| object | `kubectl wait` for Ready | `kubectl rollout status` | kstatus | Tristate |\n|---|---|---|---|---|\n")
	documents := strings.Split(string(data), "\n---\n")
	for _, document := range documents {
		var o unstructured.Unstructured
		if data, err := yaml.YAMLToJSON([]byte(document)); err != nil {
			t.Fatal(err)
		} else if err := o.UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
		content := o.Object
		name := ""
		for line := range strings.Lines(document) {
			if text, is := strings.CutPrefix(line, "# "); is {
				name = strings.TrimSpace(text) // of several the one above the object
			}
		}
		v := engine.Judge(content, noon)
		ours := string(v.Status)
		if v.Reason != ours {
			ours += " " + v.Reason
		}
		if v.Status == "Current" {
			t.Errorf("%s is Current", name)
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", name, waits(t, content), rollout(content), kstatus(content), ours)
	}
	if len(documents) != 12 {
		t.Errorf("%d objects", len(documents))
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no lines %q and %q", page, begin, end)
	}
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("the table of %s is not what the tools say, -update writes it again:\n%s", page, &table)
	}
}

// kstatus returns the word of the library.
func kstatus(content map[string]any) string {
	r, err := status.Compute(&unstructured.Unstructured{Object: content})
	if err != nil {
		return "error: " + err.Error()
	}
	return r.Status.String()
}

// rollout returns how kubectl rollout status ends: done, failed, or it goes on.
func rollout(content map[string]any) string {
	o := &unstructured.Unstructured{Object: content}
	viewer, err := polymorphichelpers.StatusViewerFor(o.GroupVersionKind().GroupKind())
	if err != nil {
		return "not for this kind"
	}
	_, done, err := viewer.Status(o, 0)
	switch {
	case err != nil:
		return "fails"
	case done:
		return "done"
	}
	return "goes on"
}

// waits returns whether kubectl wait --for=condition=Ready is met or goes on until its timeout.
func waits(t *testing.T, content map[string]any) string {
	t.Helper()
	server := "http://127.0.0.1"
	getter := genericclioptions.NewConfigFlags(false)
	getter.APIServer = &server
	flags := wait.NewWaitFlags(getter, genericiooptions.IOStreams{Out: io.Discard, ErrOut: io.Discard})
	flags.ForCondition, flags.Timeout = []string{"condition=Ready"}, 0
	options, err := flags.ToOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := (&unstructured.Unstructured{Object: content}).DeepCopy()
	gvk := o.GroupVersionKind()
	gvr, _ := meta.UnsafeGuessKindToResource(gvk)
	options.DynamicClient = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{gvr: gvk.Kind + "List"}, o)
	info := &resource.Info{Namespace: o.GetNamespace(), Name: o.GetName(), Object: o,
		Mapping: &meta.RESTMapping{Resource: gvr, GroupVersionKind: gvk, Scope: meta.RESTScopeNamespace}}
	if _, met, _ := options.ConditionFn[0](context.Background(), info, options); met { // an error means that it is not met
		return "met"
	}
	return "goes on"
}
