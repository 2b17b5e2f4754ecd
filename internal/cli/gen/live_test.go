// SPDX-License-Identifier: Apache-2.0

package gen_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/clitest"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// TestMain runs the command where a test has started this program as one.
func TestMain(m *testing.M) {
	if os.Getenv("TRISTATE_GEN_COMMAND") != "" {
		os.Exit(cli.New().Main(os.Args[1:]))
	}
	plane.Main(m)
}

// run runs a command and returns its output.
func run(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	if code := a.Run(t.Context(), args); code != 0 {
		t.Fatalf("tristate %s: exit code %d: %s", strings.Join(args, " "), code, &errs)
	}
	return out.String()
}

// bench is a control plane that serves ToolPolicy.
type bench struct {
	t        *testing.T
	config   *rest.Config
	client   dynamic.Interface
	policies dynamic.ResourceInterface
	warnings *warnings
}

// warnings keeps the warnings of the server.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeader is a method of rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := strings.Join(w.texts, "\n")
	w.texts = nil
	return out
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toolpolicies.kars.azure.com}
spec:
  group: kars.azure.com
  scope: Namespaced
  names: {kind: ToolPolicy, listKind: ToolPolicyList, plural: toolpolicies, singular: toolpolicy}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              conditions: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

func newBench(t *testing.T) *bench {
	config := plane.ForTest(t)
	b := &bench{t: t, config: config, warnings: &warnings{}}
	config.WarningHandler = b.warnings
	var err error
	if b.client, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	b.create(definition)
	if err := live.Install(t.Context(), config, []byte(definition)); err != nil { // waits until it is served
		t.Fatal(err)
	}
	b.policies = b.client.Resource(schema.GroupVersionResource{Group: "kars.azure.com", Version: "v1alpha1",
		Resource: "toolpolicies"}).Namespace(plane.Namespace(t, config))
	return b
}

// create creates cluster-scoped objects, and deletes them after the test.
func (b *bench) create(documents string) {
	b.t.Helper()
	d := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(documents), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); err == io.EOF {
			return
		} else if err != nil {
			b.t.Fatal(err)
		}
		gvk := u.GroupVersionKind()
		plural := strings.ToLower(gvk.Kind) + "s"
		if strings.HasSuffix(gvk.Kind, "Policy") {
			plural = strings.ToLower(strings.TrimSuffix(gvk.Kind, "y")) + "ies"
		}
		r := b.client.Resource(gvk.GroupVersion().WithResource(plural))
		if _, err := r.Create(b.t.Context(), u, metav1.CreateOptions{}); err != nil {
			b.t.Fatalf("%s %s: %v", gvk.Kind, u.GetName(), err)
		}
		b.t.Cleanup(func() { // the next test creates it again
			const often, most = 100 * time.Millisecond, 5 * time.Minute
			_ = wait.PollUntilContextTimeout(context.Background(), often, most, true, func(ctx context.Context) (bool, error) {
				return apierrors.IsNotFound(r.Delete(ctx, u.GetName(), metav1.DeleteOptions{})), nil
			})
		})
	}
}

// until waits for a state of the server.
func (b *bench) until(what string, done func(context.Context) bool) {
	b.t.Helper()
	if err := wait.PollUntilContextTimeout(b.t.Context(), 100*time.Millisecond, 5*time.Minute, true,
		func(ctx context.Context) (bool, error) { return done(ctx), nil }); err != nil {
		b.t.Fatalf("%s: %v; warnings %q", what, err, b.warnings.take())
	}
}

// policy creates a ToolPolicy.
func (b *bench) policy(name string) {
	b.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kars.azure.com/v1alpha1", "kind": "ToolPolicy",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{}}}
	if _, err := b.policies.Create(b.t.Context(), u, metav1.CreateOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

// write writes conditions, as TYPE STATUS REASON, and returns the warnings of the server.
func (b *bench) write(ctx context.Context, name string, change func(map[string]any), cells ...string) (string, error) {
	u, err := b.policies.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	var list []any
	for _, c := range cells {
		f := strings.Fields(c)
		one := map[string]any{"type": f[0], "status": f[1], "reason": f[2], "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z",
			"observedGeneration": int64(1)}
		if change != nil {
			change(one)
		}
		list = append(list, one)
	}
	u.Object["status"] = map[string]any{"conditions": list}
	b.warnings.take()
	_, err = b.policies.UpdateStatus(ctx, u, metav1.UpdateOptions{})
	return b.warnings.take(), err
}

// TestColumns: the patch of the columns is seen in the table that the API server makes for kubectl get; that of the schema refuses what is
// no condition; and a patch for another order of the versions is refused as a whole.
func TestColumns(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(crd, []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "gen", "columns", "ToolPolicy.kars.azure.com", "--definition", crd, "--out", dir)
	patch := func(name string) error {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = yaml.YAMLToJSON(data); err != nil {
			t.Fatal(err)
		}
		_, err = b.client.Resource(definitions).Patch(t.Context(), "toolpolicies.kars.azure.com", types.JSONPatchType, data,
			metav1.PatchOptions{})
		return err
	}
	for _, name := range []string{"toolpolicies.kars.azure.com-v1alpha1-columns.yaml", "toolpolicies.kars.azure.com-v1alpha1-schema.yaml"} {
		if err := patch(name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	b.policy("a")
	if _, err := b.write(t.Context(), "a", nil, "Progressing False Reconciled", "Ready False SpecInvalid"); err != nil {
		t.Fatal(err)
	}
	want := "NAME READY REASON PROGRESSING* DEGRADED* MESSAGE* AGE\na False SpecInvalid False <nil> m"
	b.until("the columns are served", func(ctx context.Context) bool { return strings.HasPrefix(b.table(ctx), want) })
	b.until("the schema is served", func(ctx context.Context) bool {
		_, err := b.write(ctx, "a", nil, "Ready Perhaps SpecInvalid")
		return err != nil && strings.Contains(err.Error(), `Unsupported value: "Perhaps"`)
	})
	run(t, "gen", "columns", "ToolPolicy.kars.azure.com", "--versions", "v1,v1alpha1", "--out", dir)
	if err := patch("toolpolicies.kars.azure.com-v1alpha1-columns.yaml"); err == nil {
		t.Error("a patch for another version is accepted")
	}
}

// table returns the table of the server, its columns of the wide output with an asterisk, without the ages.
func (b *bench) table(ctx context.Context) string {
	c, err := rest.UnversionedRESTClientFor(&rest.Config{Host: b.config.Host, TLSClientConfig: b.config.TLSClientConfig,
		BearerToken:   b.config.BearerToken,
		ContentConfig: rest.ContentConfig{GroupVersion: &schema.GroupVersion{}, NegotiatedSerializer: scheme.Codecs.WithoutConversion()}})
	if err != nil {
		b.t.Fatal(err)
	}
	data, err := c.Get().AbsPath("/apis/kars.azure.com/v1alpha1/toolpolicies").SetHeader("Accept",
		"application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx)
	if err != nil {
		return ""
	}
	var table metav1.Table
	if err := yaml.Unmarshal(data, &table); err != nil {
		b.t.Fatal(err)
	}
	var lines []string
	var heads []string
	for _, d := range table.ColumnDefinitions {
		heads = append(heads, strings.ToUpper(d.Name)+strings.Repeat("*", int(d.Priority)))
	}
	lines = append(lines, strings.Join(heads, " "))
	for _, row := range table.Rows {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintln(row.Cells[:len(row.Cells)-1]...), "\n"))
	}
	return strings.Join(lines, "\n")
}

// TestPolicy: the policy warns about each thing that the catalog does not declare and lets the write pass; with --deny it refuses; and a
// long list stays within the cost that an expression may have.
func TestPolicy(t *testing.T) {
	b := newBench(t)
	b.policy("a")
	b.create(run(t, "gen", "policy", "ToolPolicy.kars.azure.com"))
	fine := []string{"Ready True RouterEnforcing", "Progressing False Reconciled"}
	b.until("the policy is in force", func(ctx context.Context) bool {
		_, _ = b.write(ctx, "a", nil, "Ready True RouterEnforcing") // only a change is looked at
		text, err := b.write(ctx, "a", nil, "Ready False Invented")
		return err == nil && strings.Contains(text, "condition Ready is not declared as False/Invented")
	})
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		cells  []string
		want   string
	}{
		{"declared", nil, fine, ""},
		{"unchanged", nil, fine, ""},
		{"a type", nil, append([]string{"Sound True Good"}, fine...), "not declared: condition Sound"},
		{"a cell", nil, []string{"Ready True SpecInvalid", fine[1]}, "condition Ready is not declared as True/SpecInvalid"},
		{"repaired", nil, fine, ""},
		{"twice", nil, append([]string{fine[0]}, fine...), "a condition is in the list twice"},
		{"removed", nil, fine[:1], "a condition that is always present was removed"},
		{"a time", func(c map[string]any) { c["lastTransitionTime"] = "2026-01-02T00:00:00Z" }, fine,
			"lastTransitionTime moved although the status did not"},
		{"a generation", func(c map[string]any) {
			c["lastTransitionTime"], c["observedGeneration"] = "2026-01-02T00:00:00Z", int64(7)
		}, fine, "a condition is about a generation that does not exist yet"},
		{"an older generation", func(c map[string]any) { c["lastTransitionTime"] = "2026-01-02T00:00:00Z" }, fine,
			"the observed generation of a condition went back"},
	} {
		text, err := b.write(t.Context(), "a", c.change, c.cells...)
		if err != nil || c.want == "" && text != "" || !strings.Contains(text, c.want) {
			t.Errorf("%s: %v, warnings %q, want %q", c.name, err, text, c.want)
		}
	}
	long := slicesOf(64)
	if text, err := b.write(t.Context(), "a", nil, long...); err != nil || strings.Contains(text, "budget") ||
		!strings.Contains(text, "not declared: condition T0") {
		t.Errorf("64 conditions: %v, warnings %.300q", err, text)
	}
}

// TestPolicyDenies: with --deny an undeclared cell and a foreign user are refused, a declared write passes, and the error of an expression
// would be seen, as the failure policy is Fail here: a list of 64 conditions is refused by its rules, not by its cost.
func TestPolicyDenies(t *testing.T) {
	b := newBench(t)
	b.policy("a")
	text := run(t, "gen", "policy", "ToolPolicy.kars.azure.com", "--deny", "--exempt", "system:serviceaccount:kube-system:nobody")
	b.create(strings.Replace(text, "failurePolicy: Ignore", "failurePolicy: Fail", 1))
	b.until("the policy is in force", func(ctx context.Context) bool {
		_, _ = b.write(ctx, "a", nil, "Ready True RouterEnforcing")
		_, err := b.write(ctx, "a", nil, "Ready False Invented")
		return err != nil && strings.Contains(err.Error(), "condition Ready is not declared as False/Invented")
	})
	if _, err := b.write(t.Context(), "a", nil, "Ready True RouterEnforcing", "Progressing False Reconciled"); err != nil {
		t.Errorf("a declared write: %v", err)
	}
	if _, err := b.write(t.Context(), "a", nil, slicesOf(64)...); err == nil || !strings.Contains(err.Error(), "not declared: condition T0") ||
		strings.Contains(err.Error(), "budget") {
		t.Errorf("64 conditions: %v", err)
	}
}

// TestPolicyWriters: only the users that are named may write the status.
func TestPolicyWriters(t *testing.T) {
	b := newBench(t)
	b.policy("a")
	b.create(run(t, "gen", "policy", "ToolPolicy.kars.azure.com", "--user", "system:serviceaccount:kars-system:kars-operator"))
	b.until("the policy is in force", func(ctx context.Context) bool {
		text, err := b.write(ctx, "a", nil, "Ready True RouterEnforcing")
		return err == nil && strings.Contains(text, "the status is written by ")
	})
}

// slicesOf returns undeclared conditions.
func slicesOf(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("T%d True Good", i))
	}
	return out
}

// TestInstalled: what was never installed, what was edited in the cluster, and what is as generated.
func TestInstalled(t *testing.T) {
	workspace(t)
	b := newBench(t)
	kubeconfig := clitest.Kubeconfig(t, b.config, "", "")
	compare := func(want int, lines ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
		if code := a.Run(t.Context(), []string{"gen", "--installed", "--kubeconfig", kubeconfig}); code != want {
			t.Errorf("exit code %d, want %d: %s", code, want, &errs)
		}
		for _, line := range lines {
			if !strings.Contains(out.String(), line+"\n") {
				t.Errorf("no line %q in\n%s", line, &out)
			}
		}
	}
	const policy, columns = "ValidatingAdmissionPolicy/conditions.toolpolicies.kars.azure.com: ",
		"CustomResourceDefinition/toolpolicies.kars.azure.com v1alpha1: "
	compare(1, policy+"not installed", columns+"additionalPrinterColumns is missing", "monitoring/rules.yaml: no object of a cluster",
		"PrometheusRule/conditions-toolpolicies.kars.azure.com: not installed")
	data, err := os.ReadFile("admission/conditions.toolpolicies.kars.azure.com.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b.create(string(data))
	patch, err := os.ReadFile("crd/toolpolicies.kars.azure.com-v1alpha1-columns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if patch, err = yaml.YAMLToJSON(patch); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.Resource(definitions).Patch(t.Context(), "toolpolicies.kars.azure.com", types.JSONPatchType, patch,
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	compare(1, policy+"as generated", "ValidatingAdmissionPolicyBinding/conditions.toolpolicies.kars.azure.com: as generated", columns+
		"as generated")
	bindings := b.client.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1",
		Resource: "validatingadmissionpolicybindings"})
	edit := []byte(`{"spec":{"validationActions":["Deny"]}}`)
	if _, err := bindings.Patch(t.Context(), "conditions.toolpolicies.kars.azure.com", types.MergePatchType, edit,
		metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	compare(1, "ValidatingAdmissionPolicyBinding/conditions.toolpolicies.kars.azure.com: spec.validationActions has 1 entries, not 2")
}
