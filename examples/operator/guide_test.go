// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	policies "github.com/tristate/tristate/examples/operator"
	"github.com/tristate/tristate/examples/toolpolicy"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/proof/plane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// guide is the empty folder in which docs/guide-first-operator.md begins, and what has been made of it.
type guide struct {
	t    *testing.T
	dir  string
	root string // of the checkout, in place of the released module
}

// tristate runs a command as the guide does.
func (g *guide) tristate(args ...string) {
	g.t.Helper()
	var out bytes.Buffer
	a := &cli.App{In: strings.NewReader(""), Out: &out, Err: &out, Env: os.Getenv, Now: time.Now, Name: "tristate"}
	if code := a.Run(g.t.Context(), args); code != exit.OK {
		g.t.Fatalf("tristate %s: exit code %d\n%s", strings.Join(args, " "), code, &out)
	}
}

func (g *guide) file(name string) string { return filepath.Join(g.dir, filepath.FromSlash(name)) }

// write copies files of the checkout, as they would be written in the module of the guide.
func (g *guide) write(to string, from ...string) {
	g.t.Helper()
	if err := os.MkdirAll(g.file(to), 0o777); err != nil {
		g.t.Fatal(err)
	}
	for _, name := range from {
		data, err := os.ReadFile(filepath.Join(g.root, "examples", filepath.FromSlash(name)))
		if err != nil {
			g.t.Fatal(err)
		}
		data = bytes.ReplaceAll(data, []byte("github.com/tristate/tristate/examples/"), []byte("example.com/policy-operator/"))
		if err := os.WriteFile(filepath.Join(g.file(to), filepath.Base(name)), data, 0o666); err != nil {
			g.t.Fatal(err)
		}
	}
}

// module writes go.mod, and a workspace with the checkout in place of a release and the versions that it has.
func (g *guide) module() {
	g.t.Helper()
	sum, err := os.ReadFile(filepath.Join(g.root, "examples", "operator", "go.work.sum"))
	if err != nil {
		g.t.Fatal(err)
	}
	work := fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%s\n\t%[1]s/conditions\n\t%[1]s/operator\n)\n", g.root)
	for name, text := range map[string]string{"go.mod": "module example.com/policy-operator\n\ngo 1.26.0\n", "go.work": work, "go.work.sum": string(sum)} {
		if err := os.WriteFile(g.file(name), []byte(text), 0o666); err != nil {
			g.t.Fatal(err)
		}
	}
}

// TestGuide follows the whole guide, from an empty folder to an operator that runs on a real API server and whose healthy object is
// Ready.
func TestGuide(t *testing.T) {
	config := plane.ForTest(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	g := &guide{t: t, dir: t.TempDir(), root: root}

	// 1. The catalog.
	g.module()
	g.tristate("init", "ToolPolicy.example.dev", "--version", "v1", "--dir", g.file("toolpolicy"))
	t.Chdir(g.file("toolpolicy"))
	g.tristate("gen", "go", "catalog.yaml")
	g.tristate("check", "catalog.yaml")
	g.tristate("play", "--pace", "0s", "--catalogs", "catalog.yaml,workloads.yaml", "story.txtar")

	// 2 to 4. The catalog of the guide takes the place of the first one; types, judgement, reconciler and main are written.
	for _, name := range []string{"catalog.yaml", "zz_generated.go"} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	g.write("toolpolicy", "toolpolicy/catalog.yaml", "toolpolicy/types.go", "toolpolicy/toolpolicy.go", "toolpolicy/crd.yaml", "toolpolicy/toolpolicy_test.go")
	g.tristate("check", "catalog.yaml")
	g.tristate("gen", "go", "catalog.yaml")
	g.write("operator", "operator/doc.go", "operator/policy.go")
	g.write(".", "operator/policy-operator/main.go")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "policy-operator", ".")
	build.Dir = g.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}

	// 5. The definition, and the operator on the cluster.
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{g.file("toolpolicy/crd.yaml")}, MaxTime: 5 * time.Minute, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	stop := g.start(config, "saw,drill")
	g.ready(config, plane.Namespace(t, config))
	stop()
}

// start starts the operator that was built; stop ends it as a node would.
func (g *guide) start(config *rest.Config, tools string) (stop func()) {
	g.t.Helper()
	if err := rest.LoadTLSFiles(config); err != nil {
		g.t.Fatal(err)
	}
	file := clientcmdapi.Config{CurrentContext: "guide", Contexts: map[string]*clientcmdapi.Context{"guide": {Cluster: "guide", AuthInfo: "guide"}},
		Clusters:  map[string]*clientcmdapi.Cluster{"guide": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"guide": {Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}}}
	if err := clientcmd.WriteToFile(file, g.file("kubeconfig")); err != nil {
		g.t.Fatal(err)
	}
	log, err := os.Create(g.file("log"))
	if err != nil {
		g.t.Fatal(err)
	}
	c := exec.Command(g.file("policy-operator"), "--leader-elect=false", "--metrics-address=0", "--health-address=0")
	c.Env = append(os.Environ(), "KUBECONFIG="+g.file("kubeconfig"), "TOOLS="+tools)
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		g.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	g.t.Cleanup(func() {
		_ = c.Process.Kill() // it has ended, unless the test failed
		if g.t.Failed() {
			_, _ = log.Seek(0, io.SeekStart)
			text, _ := io.ReadAll(log)
			g.t.Logf("log of the operator:\n%s", text)
		}
		log.Close()
	})
	return func() {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			g.t.Error(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				g.t.Errorf("the operator ended with %v", err)
			}
		case <-time.After(5 * time.Minute):
			g.t.Error("the operator does not end on SIGTERM")
		}
	}
}

// ready creates a policy and a sandbox that enforces it, and waits for Ready.
func (g *guide) ready(config *rest.Config, namespace string) {
	g.t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, toolpolicy.AddToScheme} {
		if err := add(scheme); err != nil {
			g.t.Fatal(err)
		}
	}
	api, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		g.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(g.t.Context(), 5*time.Minute)
	defer cancel()
	policy := &toolpolicy.ToolPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "carpentry"}, Spec: toolpolicy.Spec{Tools: []string{"saw"}}}
	if err := api.Create(ctx, policy); err != nil {
		g.t.Fatal(err)
	}
	until := func(fine func() bool) {
		g.t.Helper()
		for !fine() {
			if ctx.Err() != nil {
				g.t.Fatalf("conditions after two minutes: %+v", policy.Status)
			}
			time.Sleep(20 * time.Millisecond)
			if err := api.Get(ctx, client.ObjectKeyFromObject(policy), policy); err != nil {
				g.t.Fatal(err)
			}
		}
	}
	until(func() bool { return policy.Status.Profile != "" })
	sandbox := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "bench", Labels: map[string]string{policies.Label: policy.Name}},
		Data: map[string]string{"profile": policy.Status.Profile}}
	if err := api.Create(ctx, sandbox); err != nil {
		g.t.Fatal(err)
	}
	until(func() bool {
		for _, c := range policy.Status.Conditions {
			if c.Type == toolpolicy.TypeReady && c.Status == metav1.ConditionStatus(conditions.True) {
				return true
			}
		}
		return false
	})
}
