// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/tristate/tristate/internal/cli/scaffold"
	"github.com/tristate/tristate/proof/plane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestMain(m *testing.M) { plane.Main(m) }

// TestProject: every command that tristate init --operator prints works in the project, in order; then its vet, tests, build and a second
// make generate. It runs on a real API server with the permissions of its chart: an object becomes Ready, its child is repaired after an
// edit, and a wrong spec is reported.
func TestProject(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var printed bytes.Buffer
	options := &scaffold.Options{Kind: "Note.example.dev", Version: "v1", Dir: dir, Operator: true, Clone: root}
	if err := scaffold.Run(&printed, options); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range []string{"note/types.go", "note/operator.go", "main.go"} {
		for line := range strings.Lines(read(t, dir, name)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	if t.Logf("%d lines of code in type, functions and main", lines); lines >= 100 {
		t.Errorf("%d lines of code, want fewer than 100", lines)
	}
	build(t, dir, root, printed.String())
	t.Run("runs", func(t *testing.T) { runProject(t, dir) })
}

// build runs the commands that init printed, then the ones that an author runs next. make run needs a cluster: runProject has it.
func build(t *testing.T, dir, root, printed string) {
	t.Helper()
	programs := t.TempDir()
	for name, args := range map[string][]string{
		"tristate": {"-C", root, "build", "-o", filepath.Join(programs, "tristate"), "./cmd/tristate"},
		"controller-gen": {"-C", filepath.Join(root, "tools", "controller-gen"), "build", "-o", filepath.Join(programs, "controller-gen"),
			controllerGen},
	} {
		c := exec.CommandContext(t.Context(), "go", args...)
		if c.Env = append(os.Environ(), "GOWORK="); name == "controller-gen" {
			c.Env = append(c.Env, "GOWORK=off")
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	// The project names the version that the repository uses, whose program is then run in its place.
	version := regexp.MustCompile(`sigs\.k8s\.io/controller-tools (v\S+)`).FindStringSubmatch(read(t, root, "tools/controller-gen/go.mod"))[1]
	if want := controllerGen + "@" + version; !strings.Contains(read(t, dir, "Makefile"), want+"\n") {
		t.Errorf("the Makefile does not run %s", want)
	}
	// A workspace with this checkout, so that its packages need not be compiled again as targets of a replace.
	work := fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%s\n\t%[1]s/conditions\n\t%[1]s/operator\n)\n", root)
	for name, text := range map[string]string{"go.work": work, "go.work.sum": read(t, root, "operator/go.work.sum")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(command string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "bash", "-c", command)
		c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=", "CONTROLLER_GEN=controller-gen",
			"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	commands := regexp.MustCompile(`(?m)^  (.*?) *(#.*)?$`).FindAllStringSubmatch(printed, -1)
	if len(commands) < 4 {
		t.Fatalf("init prints %d commands:\n%s", len(commands), printed)
	}
	for _, c := range commands {
		if c[1] != "make run" {
			run(c[1])
		}
	}
	first := generated(t, dir)
	run("make generate")
	for name, text := range generated(t, dir) {
		if text != first[name] {
			t.Errorf("a second make generate changes %s", name)
		}
	}
	run("make test")
	run("go build -o note-operator .")
	run("go vet .") // of the project alone: its dependencies are vetted here
	run("go vet ./note")
}

// controllerGen is the program that writes definitions and copies.
const controllerGen = "sigs.k8s.io/controller-tools/cmd/controller-gen"

// generated returns the files that make generate writes.
func generated(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"note/zz_generated.go", "note/zz_generated.deepcopy.go", "chart/crds/example.dev_notes.yaml"} {
		out[name] = read(t, dir, name)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "chart", "crds"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d definitions, want one: %v", len(entries), err)
	}
	return out
}

// runProject runs the built operator on a real API server.
func runProject(t *testing.T, dir string) {
	config := plane.ForTest(t)
	ctrl.SetLogger(logr.Discard())
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(dir, "chart", "crds")},
		MaxTime: 5 * time.Minute, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	namespace := plane.Namespace(t, config)
	admin, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`\{\{ *\.Release\.Namespace *\}\}`).ReplaceAllString(read(t, dir, "chart/templates/rbac.yaml"), namespace)
	for decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(rules), 4096); ; {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	stop := start(t, config, dir, namespace)
	defer stop()

	api, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	notes := api.Resource(schema.GroupVersionResource{Group: "example.dev", Version: "v1", Resource: "notes"}).Namespace(namespace)
	maps := api.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
	until := func(what string, resource dynamic.ResourceInterface, want string, look func(object map[string]any) string) {
		t.Helper()
		got := ""
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if o, err := resource.Get(t.Context(), "hello", metav1.GetOptions{}); err == nil {
				if got = look(o.Object); got == want {
					return
				}
			} else {
				got = err.Error()
			}
		}
		t.Fatalf("%s: %q, want %q", what, got, want)
	}
	ready := func(object map[string]any) string {
		list, _, _ := unstructured.NestedSlice(object, "status", "conditions")
		if len(list) != 1 {
			return fmt.Sprint(list)
		}
		generation, _, _ := unstructured.NestedInt64(object, "status", "observedGeneration")
		name, _, _ := unstructured.NestedString(object, "status", "configMap")
		c := list[0].(map[string]any)
		return fmt.Sprint(c["type"], "=", c["status"], " ", c["reason"], " ", generation, " ", name)
	}
	text := func(object map[string]any) string {
		s, _, _ := unstructured.NestedString(object, "data", "text")
		return s
	}
	note := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.dev/v1", "kind": "Note",
		"metadata": map[string]any{"name": "hello"},
		"spec":     map[string]any{"text": "good morning"}}}
	if _, err := notes.Create(t.Context(), note, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until("the status", notes, "Ready=True Published 1 hello", ready)
	until("the child", maps, "good morning", text)
	if _, err := maps.Patch(t.Context(), "hello", types.MergePatchType, []byte(`{"data":{"text":"good night"}}`),
		metav1.PatchOptions{FieldManager: "hand"}); err != nil {
		t.Fatal(err)
	}
	until("the child after an edit", maps, "good morning", text)
	if err := maps.Delete(t.Context(), "hello", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until("the child after it was deleted", maps, "good morning", text)
	if _, err := notes.Patch(t.Context(), "hello", types.MergePatchType, []byte(`{"spec":{"text":" "}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	until("a wrong spec", notes, "Ready=False SpecInvalid 2 ", ready)
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// start runs the operator with the permissions of its ServiceAccount; stop ends it as a node would.
func start(t *testing.T, config *rest.Config, dir, namespace string) (stop func()) {
	t.Helper()
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	file := clientcmdapi.Config{CurrentContext: "test",
		Contexts: map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		Clusters: map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"test": {Token: config.BearerToken, ClientCertificateData: config.CertData,
			ClientKeyData: config.KeyData,
			Impersonate:   "system:serviceaccount:" + namespace + ":note-operator"}}}
	if err := clientcmd.WriteToFile(file, filepath.Join(dir, "kubeconfig")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c := exec.Command(filepath.Join(dir, "note-operator"), "--metrics-address=0", "--health-address=0")
	c.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(dir, "kubeconfig"), "POD_NAMESPACE="+namespace)
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	return func() {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the operator ended with %v", err)
			}
		case <-time.After(5 * time.Minute):
			_ = c.Process.Kill()
			<-ended
			t.Error("the operator does not end on SIGTERM")
		}
		if t.Failed() {
			t.Logf("log of the operator:\n%s", &log)
		}
	}
}
