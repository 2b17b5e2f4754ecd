// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/plane"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// line is what -o jsonl says: of an object, or at the end of the wait.
type line struct {
	Object struct {
		Kind, Name string
	}
	Verdict, Reason, Message, Wait string
	Outcome                        string
	Code, Met, Needed, Total       int
}

// bench is a namespace of a real API server and a user of it.
type bench struct {
	t          *testing.T
	namespace  string
	kubeconfig string
	client     dynamic.Interface
	mapper     meta.ResettableRESTMapper
}

func newBench(t *testing.T) *bench {
	t.Helper()
	config := plane.ForTest(t)
	plane.NeedControllers(t)
	b := &bench{t: t, namespace: plane.Namespace(t, config)}
	var err error
	if b.client, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	b.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	b.kubeconfig = writeKubeconfig(t, config, b.namespace, "")
	return b
}

// writeKubeconfig writes a file for a configuration, as itself or as another user.
func writeKubeconfig(t *testing.T, config *rest.Config, namespace, as string) string {
	t.Helper()
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	file := clientcmdapi.Config{CurrentContext: "test",
		Contexts:  map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test", Namespace: namespace}},
		Clusters:  map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"test": {Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Impersonate: as}},
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(file, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func (b *bench) resource(u *unstructured.Unstructured) dynamic.ResourceInterface {
	b.t.Helper()
	m, err := b.mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
	if meta.IsNoMatchError(err) {
		b.mapper.Reset()
		m, err = b.mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		return b.client.Resource(m.Resource)
	}
	return b.client.Resource(m.Resource).Namespace(b.namespace)
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// create creates an object; it is deleted with its namespace or, where it has none, when the test ends.
func (b *bench) create(text string) *unstructured.Unstructured {
	b.t.Helper()
	u := object(b.t, text)
	made, err := b.resource(u).Create(b.t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	if made.GetNamespace() == "" {
		b.t.Cleanup(func() {
			_ = b.resource(u).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{}) // it may be gone
		})
	}
	return made
}

// patch merges into an object, or into its status.
func (b *bench) patch(u *unstructured.Unstructured, subresource, patch string) {
	b.t.Helper()
	var more []string
	if subresource != "" {
		more = append(more, subresource)
	}
	if _, err := b.resource(u).Patch(b.t.Context(), u.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}, more...); err != nil {
		b.t.Fatal(err)
	}
}

// until waits for an object to be as somebody wants it.
func (b *bench) until(list func() ([]unstructured.Unstructured, error), ok func(unstructured.Unstructured) bool) unstructured.Unstructured {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, err := list()
		if err != nil {
			b.t.Fatal(err)
		}
		if i := slices.IndexFunc(found, ok); i >= 0 {
			return found[i]
		}
	}
	b.t.Fatal("it did not come about within a minute")
	return unstructured.Unstructured{}
}

// wait runs the command; react is called with each line, while it goes on. It gives the exit code, the last line and standard error.
func (b *bench) wait(react func(line), args ...string) (int, line, string) {
	b.t.Helper()
	reader, writer := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		a := &cli.App{In: &bytes.Buffer{}, Out: writer, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
		code <- a.Run(b.t.Context(), append([]string{"wait", "--kubeconfig", b.kubeconfig, "-o", "jsonl", "--timeout", "2m"}, args...))
		writer.Close()
	}()
	var last line
	for lines := bufio.NewScanner(reader); lines.Scan(); {
		last = line{}
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			b.t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		b.t.Logf("%s", lines.Bytes())
		if react != nil && last.Outcome == "" {
			react(last)
		}
	}
	return <-code, last, errs.String()
}

// ends checks how a wait has ended.
func (b *bench) ends(code int, last line, outcome string, want int) {
	b.t.Helper()
	if diff := cmp.Diff([]any{want, want, outcome}, []any{code, last.Code, last.Outcome}); diff != "" {
		b.t.Errorf("exit code, code and outcome: -want +got\n%s", diff)
	}
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: a}]}
`

// timedOut is the --timeout of waits that are to end by it. It covers discovery and the first list, on a machine that is busy.
const timedOut = "20s"

// TestWaitDeployment: without a node it never is what it should be; its pods are named as the cause. Paused it is Suspended.
func TestWaitDeployment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	web := b.create(deployment)
	code, last, _ := b.wait(nil, "deploy/web", "--timeout", timedOut)
	b.ends(code, last, "TimedOut", 4)
	code, last, _ = b.wait(nil, "deploy/web", "--no-progress", "3s")
	b.ends(code, last, "Stuck", 4)
	code, last, _ = b.wait(nil, "deploy/web", "--timeout", "0")
	b.ends(code, last, "TimedOut", 4)

	code, last, _ = b.wait(func(l line) {
		if l.Wait == "pending" && l.Verdict == "InProgress" {
			b.patch(web, "", `{"spec":{"paused":true}}`)
		}
	}, "deploy/web", "--for", "verdict=Suspended")
	b.ends(code, last, "Met", 0)
	code, last, _ = b.wait(nil, "deploy/web", "--fail", "verdict=Failed,Suspended")
	b.ends(code, last, "Failed", 3)

	code, last, _ = b.wait(func(l line) {
		if l.Wait == "pending" {
			if err := b.resource(web).Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	}, "deploy/web", "--for", "delete")
	b.ends(code, last, "Met", 0)
	code, last, _ = b.wait(nil, "deploy/web", "--timeout", timedOut)
	b.ends(code, last, "NotFound", 5)
}

// TestWaitImage: a wait that ends badly names the image that cannot be pulled.
func TestWaitImage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(deployment)
	b.setPod("app=web", `{"status":{"phase":"Pending","containerStatuses":[{"name":"a","image":"a","imageID":"","ready":false,"restartCount":0,
"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image"}}}]}}`)
	report := filepath.Join(t.TempDir(), "report.xml")
	code, last, _ := b.wait(nil, "deploy/web", "--no-progress", "3s", "--junit", report)
	b.ends(code, last, "Stuck", 4)
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Failed ImagePullBackOff: container a"; !bytes.Contains(data, []byte(want)) {
		t.Errorf("the report lacks %q:\n%s", want, data)
	}
	code, last, _ = b.wait(nil, "pods", "-l", "app=web")
	b.ends(code, last, "Failed", 3)
}

// TestWaitJob: a Job that has failed ends the wait at once, though another goes on; with --any it does not.
func TestWaitJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, name := range []string{"bad", "good"} {
		b.create(`
apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `}
spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
`)
	}
	fail := func(l line) {
		if l.Object.Name == "bad" && l.Wait == "pending" {
			b.endPod("bad", `{"status":{"phase":"Failed"}}`)
		}
	}
	code, last, errs := b.wait(fail, "job/good", "job/bad")
	b.ends(code, last, "Failed", 3)
	if want := "tristate: failed after"; !bytes.HasPrefix([]byte(errs), []byte(want)) {
		t.Errorf("standard error is %q, want %q", errs, want)
	}
	code, last, _ = b.wait(func(l line) {
		if l.Object.Name == "bad" && l.Wait == "failed" {
			b.endPod("good", `{"status":{"phase":"Succeeded"}}`)
		}
	}, "job/good", "job/bad", "--any")
	b.ends(code, last, "Met", 0)
	code, last, _ = b.wait(nil, "jobs", "--count", "50%")
	b.ends(code, last, "Met", 0)
	code, last, _ = b.wait(nil, "job/bad", "--for", "condition=Failed")
	b.ends(code, last, "Met", 0)
}

// endPod ends the pod of a Job, as a node would.
func (b *bench) endPod(job, status string) {
	b.t.Helper()
	b.setPod("batch.kubernetes.io/job-name="+job, status)
}

// setPod writes the status of the pod that a selector finds, once there is one.
func (b *bench) setPod(selector, status string) {
	b.t.Helper()
	pods := b.resource(object(b.t, "{apiVersion: v1, kind: Pod}"))
	pod := b.until(func() ([]unstructured.Unstructured, error) {
		list, err := pods.List(b.t.Context(), metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}, func(unstructured.Unstructured) bool { return true })
	b.patch(&pod, "status", status)
}

// TestWaitDelete: what a finalizer holds is stuck, and so is a namespace that holds it; they are met once it is gone.
func TestWaitDelete(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("{apiVersion: v1, kind: Namespace, metadata: {name: " + b.namespace + "-held}}")
	outer := b.namespace
	b.namespace += "-held"
	held := b.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.org/hold]}}")
	if err := b.resource(held).Delete(t.Context(), "held", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	code, last, _ := b.wait(nil, "cm/held", "-n", b.namespace, "--for", "delete", "--no-progress", "2s")
	b.ends(code, last, "Stuck", 4)
	ns := object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+b.namespace+"}}")
	if err := b.resource(ns).Delete(t.Context(), b.namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	code, last, _ = b.wait(nil, "ns/"+b.namespace, "-n", outer, "--for", "delete", "--timeout", timedOut)
	b.ends(code, last, "TimedOut", 4)
	code, last, _ = b.wait(func(l line) {
		if l.Wait == "pending" && l.Object.Name == "held" && l.Verdict == "Terminating" {
			b.patch(held, "", `{"metadata":{"finalizers":null}}`)
		}
	}, "cm/held", "ns/"+b.namespace, "-n", b.namespace, "--for", "delete")
	b.ends(code, last, "Met", 0)
}

// TestWaitClaim: a claim without a class is never bound.
func TestWaitClaim(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`)
	code, last, _ := b.wait(nil, "pvc/data", "--no-progress", "3s")
	b.ends(code, last, "Stuck", 4)
	code, last, _ = b.wait(nil, "pvc/data", "--fail", "cel=after(self.metadata.creationTimestamp, duration('1s'))")
	b.ends(code, last, "Failed", 3)
}

// TestWaitDefinition: a type may arrive during the wait, and leave, and arrive again.
func TestWaitDefinition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: latecomers.wait.example.org}
spec:
  group: wait.example.org
  names: {plural: latecomers, kind: Latecomer, shortNames: [late]}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`)
	definitions := b.resource(definition)
	remove := func(ctx context.Context) error {
		return definitions.Delete(ctx, definition.GetName(), metav1.DeleteOptions{})
	}
	define := func() {
		b.until(func() ([]unstructured.Unstructured, error) { // one of that name may be on its way out
			made, err := definitions.Create(t.Context(), definition, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil, nil
			} else if err != nil {
				return nil, err
			}
			return []unstructured.Unstructured{*made}, nil
		}, func(unstructured.Unstructured) bool { return true })
	}
	t.Cleanup(func() {
		if err := remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	steps := []struct {
		on string
		do func()
	}{
		{"missing: the server has no type late", define},
		{"missing: does not exist", func() { b.create("{apiVersion: wait.example.org/v1, kind: Latecomer, metadata: {name: a}}") }},
		{"pending: no status was reported yet", func() {
			if err := remove(t.Context()); err != nil {
				t.Error(err)
			}
		}},
		{"missing: the server has no type late", define},
		{"missing: was deleted", func() { b.create("{apiVersion: wait.example.org/v1, kind: Latecomer, metadata: {name: a}}") }},
		{"pending: no status was reported yet", func() {
			b.patch(object(t, "{apiVersion: wait.example.org/v1, kind: Latecomer, metadata: {name: a}}"), "status",
				`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
		}},
	}
	at := 0
	code, last, _ := b.wait(func(l line) {
		if at < len(steps) && l.Wait+": "+l.Message == steps[at].on {
			at++
			steps[at-1].do()
		}
	}, "late/a", "--for", "condition=Ready", "--stable-for", "100ms")
	b.ends(code, last, "Met", 0)
	if at != len(steps) {
		t.Errorf("it was met after %d of %d steps", at, len(steps))
	}
}

// TestWaitForbidden: what may not be read is Unknown, with the verbs that are missing; the rest goes on.
func TestWaitForbidden(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(deployment)
	b.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
	b.create(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: settings}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [settings], verbs: [list, watch]}]
`)
	b.create(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: settings}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: settings}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}]
`)
	b.kubeconfig = writeKubeconfig(t, plane.ForTest(t), b.namespace, "alice")
	var hidden line
	code, last, errs := b.wait(func(l line) {
		if l.Wait == "hidden" {
			hidden = l
		}
	}, "deploy/web", "cm/settings", "--for", "verdict", "--timeout", "30s")
	if code == 0 {
		t.Error("a wait for what may not be read was met")
	}
	b.ends(code, last, "Unknown", 6)
	if want := "verbs list, watch on deployments.apps in namespace " + b.namespace + " are missing"; hidden.Message != want {
		t.Errorf("-want +got\n%s\n%s", cmp.Diff(want, hidden.Message), errs)
	}
	code, last, _ = b.wait(nil, "deploy/web", "cm/settings", "--any")
	b.ends(code, last, "Met", 0)
	code, last, _ = b.wait(nil, "pods", "--timeout", "0")
	b.ends(code, last, "Unknown", 6)
}

// TestWaitSelector: what a selector finds later counts, what leaves it does not.
func TestWaitSelector(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: first, labels: {set: a}}}")
	step := map[string]bool{}
	once := func(name string, do func()) {
		if !step[name] {
			step[name] = true
			do()
		}
	}
	code, last, _ := b.wait(func(l line) {
		switch l.Object.Name + " " + l.Wait {
		case "first pending":
			once("second", func() {
				b.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: second, labels: {set: a}}, data: {done: 'yes'}}")
			})
		case "second met":
			once("leave", func() {
				b.patch(object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: first}}"), "", `{"metadata":{"labels":{"set":"b"}}}`)
			})
		}
	}, "configmaps", "-l", "set=a", "--for", "cel=self.data.done == 'yes'")
	b.ends(code, last, "Met", 0)
	if diff := cmp.Diff([]int{1, 1}, []int{last.Met, last.Total}); diff != "" {
		t.Errorf("met and total: -want +got\n%s", diff)
	}
	code, last, _ = b.wait(nil, "configmaps", "-l", "set=none", "--timeout", timedOut)
	b.ends(code, last, "NotFound", 5)
	code, last, _ = b.wait(nil, "configmaps", "-l", "set=none", "--for", "delete")
	b.ends(code, last, "Met", 0)
}

// TestWaitManifests: objects that a folder declares, and a report of them.
func TestWaitManifests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(deployment)
	b.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
	dir, report := t.TempDir(), filepath.Join(t.TempDir(), "report.xml")
	for name, text := range map[string]string{"a.yaml": deployment, "b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, last, _ := b.wait(nil, "--manifests", dir, "--timeout", "0", "--junit", report)
	b.ends(code, last, "TimedOut", 4)
	_, last, _ = b.wait(nil, "deploy/web", "deployments.apps/web", "--manifests", dir, "--timeout", "0")
	if last.Total != 2 {
		t.Errorf("%d objects, want 2: some are named twice", last.Total)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`tests="2" failures="1" errors="0" skipped="0"`, `<testcase classname="Deployment" name="` + b.namespace + `/web">`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the report lacks %s:\n%s", want, data)
		}
	}
}

// TestWaitUnreachable: a server that does not answer is asked again, and what it holds is unknown.
func TestWaitUnreachable(t *testing.T) {
	t.Parallel()
	b := &bench{t: t, kubeconfig: writeKubeconfig(t, &rest.Config{Host: "http://127.0.0.1:1"}, "default", "")}
	for _, timeout := range []string{"0", "1s"} {
		code, last, _ := b.wait(nil, "cm/settings", "--timeout", timeout)
		b.ends(code, last, "Unreachable", 6)
	}
	code, last, _ := b.wait(nil, "cm", "--timeout", "0")
	b.ends(code, last, "Unreachable", 6)
}

// TestWaitInterrupted: an interrupt ends the wait with its own code.
func TestWaitInterrupted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := writerFunc(func(p []byte) (int, error) {
		stop()
		return len(p), nil
	})
	a := &cli.App{In: &bytes.Buffer{}, Out: out, Err: io.Discard, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	if code := a.Run(ctx, []string{"wait", "--kubeconfig", b.kubeconfig, "cm/none"}); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
