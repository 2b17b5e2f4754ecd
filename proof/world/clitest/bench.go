// SPDX-License-Identifier: Apache-2.0

package clitest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// Line is a line of wait -o jsonl: about an object, or the end of the wait.
type Line struct {
	Object struct {
		Kind, Name string
	}
	Verdict, Reason, Message, Wait string
	Outcome                        string
	Code, Met, Needed, Total       int
}

// Bench is a namespace of a real API server with a user of it.
type Bench struct {
	T          *testing.T
	Namespace  string
	Kubeconfig string
	Client     dynamic.Interface
	Mapper     meta.ResettableRESTMapper
	Clock      Clock // of the waits
}

// Late is a react of [Bench.Wait]: it puts the clock forward by an hour once an object was looked at.
func (b *Bench) Late(l Line) {
	if l.Wait == "pending" || l.Wait == "missing" {
		b.Clock.Step(time.Hour)
	}
}

// NewBench creates a namespace on the control plane of the tests, which has to have controllers.
func NewBench(t *testing.T) *Bench {
	t.Helper()
	config := plane.ForTest(t)
	plane.NeedControllers(t)
	b := &Bench{T: t, Namespace: plane.Namespace(t, config)}
	var err error
	if b.Client, err = dynamic.NewForConfig(plane.OfTest(config)); err != nil {
		t.Fatal(err)
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	b.Mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	b.Kubeconfig = Kubeconfig(t, config, b.Namespace, "")
	return b
}

// Kubeconfig writes a kubeconfig for a configuration, as itself or as another user, and returns the name of the file.
func Kubeconfig(t *testing.T, config *rest.Config, namespace, as string) string {
	t.Helper()
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	config = rest.CopyConfig(config)
	config.Impersonate.UserName = as
	config = plane.SlowServer(t, config)
	file := clientcmdapi.Config{CurrentContext: "test",
		Contexts: map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test", Namespace: namespace}},
		Clusters: map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"test": {Token: config.BearerToken, ClientCertificateData: config.CertData,
			ClientKeyData: config.KeyData, Impersonate: config.Impersonate.UserName}},
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(file, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Resource returns the client for the type of an object, in the namespace.
func (b *Bench) Resource(u *unstructured.Unstructured) dynamic.ResourceInterface {
	b.T.Helper()
	m, err := b.Mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
	if meta.IsNoMatchError(err) {
		b.Mapper.Reset()
		m, err = b.Mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
	}
	if err != nil {
		b.T.Fatal(err)
	}
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		return b.Client.Resource(m.Resource)
	}
	return b.Client.Resource(m.Resource).Namespace(b.Namespace)
}

// Object parses an object from YAML.
func Object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// Create creates an object; it is deleted with its namespace or, where it has none, when the test ends.
func (b *Bench) Create(text string) *unstructured.Unstructured {
	b.T.Helper()
	u := Object(b.T, text)
	made, err := b.Resource(u).Create(b.T.Context(), u, metav1.CreateOptions{})
	if err != nil {
		b.T.Fatal(err)
	}
	if made.GetNamespace() == "" {
		b.T.Cleanup(func() {
			_ = b.Resource(u).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{}) // it may be gone
		})
	}
	return made
}

// Patch merges into an object, or into its status.
func (b *Bench) Patch(u *unstructured.Unstructured, subresource, patch string) {
	b.T.Helper()
	var more []string
	if subresource != "" {
		more = append(more, subresource)
	}
	if _, err := b.Resource(u).Patch(b.T.Context(), u.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{},
		more...); err != nil {
		b.T.Fatal(err)
	}
}

// Until waits for an object that satisfies ok.
func (b *Bench) Until(list func() ([]unstructured.Unstructured, error), ok func(unstructured.Unstructured) bool) unstructured.Unstructured {
	b.T.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, err := list()
		if err != nil {
			b.T.Fatal(err)
		}
		if i := slices.IndexFunc(found, ok); i >= 0 {
			return found[i]
		}
	}
	b.T.Fatal("it did not come about")
	return unstructured.Unstructured{}
}

// Wait runs tristate wait; react is called with each line, while the command goes on. It returns the exit code, the last line and standard
// error.
func (b *Bench) Wait(react func(Line), args ...string) (int, Line, string) {
	b.T.Helper()
	reader, writer := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		a := &cli.App{In: &bytes.Buffer{}, Out: writer, Err: &errs, Env: func(string) string { return "" }, Now: b.Clock.Now, Ring: b.Clock.Ring,
			Name: "tristate"}
		code <- a.Run(b.T.Context(), append([]string{"wait", "--kubeconfig", b.Kubeconfig, "-o", "jsonl", "--timeout", "10m"}, args...))
		writer.Close()
	}()
	var last Line
	for lines := bufio.NewScanner(reader); lines.Scan(); {
		last = Line{}
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			b.T.Fatalf("%s: %v", lines.Bytes(), err)
		}
		b.T.Logf("%s", lines.Bytes())
		if react != nil && last.Outcome == "" {
			react(last)
		}
	}
	return <-code, last, errs.String()
}

// Ends checks how a wait has ended.
func (b *Bench) Ends(code int, last Line, outcome string, want int) {
	b.T.Helper()
	if diff := cmp.Diff([]any{want, want, outcome}, []any{code, last.Code, last.Outcome}); diff != "" {
		b.T.Errorf("exit code, code and outcome: -want +got\n%s", diff)
	}
}

// Deployment is the manifest of a Deployment of one pod.
const Deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: a}]}
`

// InstallClusterAPI installs the definitions of catalogs and of Cluster API.
func InstallClusterAPI(ctx context.Context, t *testing.T, config *rest.Config) {
	t.Helper()
	definitions, err := systems.CRDs.ReadFile("cluster-api/crds.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Install(ctx, config, catalog.CRDYAML, definitions); err != nil {
		t.Fatal(err)
	}
}
