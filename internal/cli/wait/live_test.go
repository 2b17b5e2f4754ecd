// SPDX-License-Identifier: Apache-2.0

package wait_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world/clitest"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// TestMain lets more tests run at a time than there are processors: nearly all of their time they wait.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	plane.Main(m)
}

// TestWaitDeployment: without a node a Deployment is never met, because of its pods. A paused one is Suspended.
func TestWaitDeployment(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	web := b.Create(clitest.Deployment)
	code, last, _ := b.Wait(b.Late, "deploy/web", "--timeout", "1h")
	b.Ends(code, last, "TimedOut", 4)
	code, last, _ = b.Wait(nil, "deploy/web", "--no-progress", "3s")
	b.Ends(code, last, "Stuck", 4)
	code, last, _ = b.Wait(nil, "deploy/web", "--timeout", "0")
	b.Ends(code, last, "TimedOut", 4)

	code, last, _ = b.Wait(func(l clitest.Line) {
		if l.Wait == "pending" && l.Verdict == "InProgress" {
			b.Patch(web, "", `{"spec":{"paused":true}}`)
		}
	}, "deploy/web", "--for", "verdict=Suspended")
	b.Ends(code, last, "Met", 0)
	code, last, _ = b.Wait(nil, "deploy/web", "--fail", "verdict=Failed,Suspended")
	b.Ends(code, last, "Failed", 3)

	code, last, _ = b.Wait(func(l clitest.Line) {
		if l.Wait == "pending" { // of a change before it was deleted there may be a line more
			if err := b.Resource(web).Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				t.Error(err)
			}
		}
	}, "deploy/web", "--for", "delete")
	b.Ends(code, last, "Met", 0)
	code, last, _ = b.Wait(b.Late, "deploy/web", "--timeout", "1h")
	b.Ends(code, last, "NotFound", 5)
}

// TestWaitService: a Service that selects pods is met once an endpoint is ready, and not before.
func TestWaitService(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(`{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}`)
	code, last, _ := b.Wait(b.Late, "svc/web", "--timeout", "1h")
	b.Ends(code, last, "TimedOut", 4)
	made := false
	code, last, _ = b.Wait(func(l clitest.Line) {
		if !made && l.Reason == "NoEndpoints" {
			made = true
			b.Create(`{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4,
metadata: {name: web-test, labels: {kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: test}},
endpoints: [{addresses: [10.1.0.1], conditions: {ready: true}}], ports: [{name: "", port: 80, protocol: TCP}]}`)
		}
	}, "svc/web")
	b.Ends(code, last, "Met", 0)
}

// TestWaitImage: a wait that ends badly names the image that cannot be pulled.
func TestWaitImage(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	web := b.Create(clitest.Deployment)
	setPod(b, "app=web", `{"status":{"phase":"Pending","containerStatuses":[{"name":"a","image":"a","imageID":"","ready":false,"restartCount":0,
"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image"}}}]}}`)
	report := filepath.Join(t.TempDir(), "report.xml")
	failing := false
	code, last, _ := b.Wait(func(l clitest.Line) { // it ends after the grace, long before its timeout
		if l.Wait == "failing" && !failing {
			failing = true
			b.Clock.Step(30 * time.Second)
		}
	}, "deploy/web", "--junit", report)
	b.Ends(code, last, "Failed", 3)
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Failed ImagePullBackOff: container a"; !bytes.Contains(data, []byte(want)) {
		t.Errorf("the report lacks %q:\n%s", want, data)
	}
	code, last, _ = b.Wait(nil, "pods", "-l", "app=web")
	b.Ends(code, last, "Failed", 3)
	code, last, _ = b.Wait(nil, "deploy/web", "--no-progress", "3s", "--fail", "failed", "--fail", "deadline")
	b.Ends(code, last, "Stuck", 4)
	b.Patch(web, "", `{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"right"}]}}}}`)
	code, last, _ = b.Wait(nil, "deploy/web", "--no-progress", "3s", "--failed-for", "0s")
	b.Ends(code, last, "Stuck", 4)
}

// TestWaitQuota: a wait for workloads whose pods a quota refuses ends after the grace, by a condition or by events.
func TestWaitQuota(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: none}, spec: {hard: {pods: "0"}}}`)
	b.Create(clitest.Deployment)
	b.Create(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {serviceName: db, selector: {matchLabels: {app: db}}, template:
{metadata: {labels: {app: db}}, spec: {containers: [{name: a, image: a}]}}}}`)
	for _, name := range []string{"deploy/web", "sts/db"} {
		failing := false
		code, last, _ := b.Wait(func(l clitest.Line) {
			if l.Wait == "failing" && !failing {
				failing = true
				b.Clock.Step(30 * time.Second)
			}
		}, name)
		b.Ends(code, last, "Failed", 3)
	}
}

// TestWaitDeadline: a roll-out that has passed its deadline ends the wait, though the pods before it serve.
func TestWaitDeadline(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	web := b.Create(clitest.Deployment)
	setPod(b, "app=web", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`)
	code, last, _ := b.Wait(nil, "deploy/web")
	b.Ends(code, last, "Met", 0)
	b.Patch(web, "", `{"spec":{"progressDeadlineSeconds":1,"template":{"spec":{"containers":[{"name":"a","image":"missing"}]}}}}`)
	word := ""
	code, last, _ = b.Wait(func(l clitest.Line) { word = l.Verdict }, "deploy/web")
	b.Ends(code, last, "Failed", 3)
	if word != "Degraded" {
		t.Errorf("the verdict is %s, want Degraded: its old pod serves", word)
	}
}

// TestWaitJob: a Job that has failed ends the wait at once, though another goes on; with --count 1 it does not.
func TestWaitJob(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	for _, name := range []string{"bad", "good"} {
		b.Create(`
apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `}
spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
`)
	}
	fail := func(l clitest.Line) {
		if l.Object.Name == "bad" && l.Wait == "pending" {
			endPod(b, "bad", `{"status":{"phase":"Failed"}}`)
		}
	}
	code, last, errs := b.Wait(fail, "job/good", "job/bad")
	b.Ends(code, last, "Failed", 3)
	if want := "tristate: failed after"; !bytes.HasPrefix([]byte(errs), []byte(want)) {
		t.Errorf("standard error is %q, want %q", errs, want)
	}
	code, last, _ = b.Wait(func(l clitest.Line) {
		if l.Object.Name == "bad" && l.Wait == "failed" {
			endPod(b, "good", `{"status":{"phase":"Succeeded"}}`)
		}
	}, "job/good", "job/bad", "--count", "1")
	b.Ends(code, last, "Met", 0)
	code, last, _ = b.Wait(nil, "jobs", "--count", "50%")
	b.Ends(code, last, "Met", 0)
	code, last, _ = b.Wait(nil, "job/bad", "--for", "condition=Failed")
	b.Ends(code, last, "Met", 0)
}

// endPod ends the pod of a Job, as a node would.
func endPod(b *clitest.Bench, job, status string) {
	b.T.Helper()
	setPod(b, "batch.kubernetes.io/job-name="+job, status)
}

// setPod writes the status of the pod that a selector finds, once there is one.
func setPod(b *clitest.Bench, selector, status string) {
	b.T.Helper()
	pods := b.Resource(clitest.Object(b.T, "{apiVersion: v1, kind: Pod}"))
	pod := b.Until(func() ([]unstructured.Unstructured, error) {
		list, err := pods.List(b.T.Context(), metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}, func(unstructured.Unstructured) bool { return true })
	b.Patch(&pod, "status", status)
}

// TestWaitDelete: an object that a finalizer holds is stuck, and so is its namespace; both are met once it is gone.
func TestWaitDelete(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create("{apiVersion: v1, kind: Namespace, metadata: {name: " + b.Namespace + "-held}}")
	outer := b.Namespace
	b.Namespace += "-held"
	held := b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.org/hold]}}")
	if err := b.Resource(held).Delete(t.Context(), "held", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	code, last, _ := b.Wait(nil, "cm/held", "-n", b.Namespace, "--for", "delete", "--no-progress", "2s")
	b.Ends(code, last, "Stuck", 4)
	ns := clitest.Object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+b.Namespace+"}}")
	if err := b.Resource(ns).Delete(t.Context(), b.Namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	code, last, _ = b.Wait(b.Late, "ns/"+b.Namespace, "-n", outer, "--for", "delete", "--timeout", "1h")
	b.Ends(code, last, "TimedOut", 4)
	released := false
	code, last, _ = b.Wait(func(l clitest.Line) {
		if l.Wait == "pending" && l.Object.Name == "held" && l.Verdict == "Terminating" && !released {
			released = true
			b.Patch(held, "", `{"metadata":{"finalizers":null}}`)
		}
	}, "cm/held", "ns/"+b.Namespace, "-n", b.Namespace, "--for", "delete")
	b.Ends(code, last, "Met", 0)
}

// TestWaitClaim: a claim without a class is never bound, as the controller says in an event.
func TestWaitClaim(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`)
	code, last, _ := b.Wait(nil, "pvc/data")
	b.Ends(code, last, "Failed", 3)
	code, last, _ = b.Wait(nil, "pvc/data", "--fail", "cel=after(self.metadata.creationTimestamp, duration('1s'))")
	b.Ends(code, last, "Failed", 3)
}

// TestWaitDefinition: a type may arrive during the wait, and leave, and arrive again.
func TestWaitDefinition(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	definition := clitest.Object(t, `
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
	definitions := b.Resource(definition)
	remove := func(ctx context.Context) error {
		return definitions.Delete(ctx, definition.GetName(), metav1.DeleteOptions{})
	}
	define := func() {
		b.Until(func() ([]unstructured.Unstructured, error) { // one of that name may be on its way out
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
		{"missing: does not exist", func() { b.Create("{apiVersion: wait.example.org/v1, kind: Latecomer, metadata: {name: a}}") }},
		{"pending: no status was reported yet", func() {
			if err := remove(t.Context()); err != nil {
				t.Error(err)
			}
		}},
		{"missing: the server has no type late", define},
		{"missing: was deleted", func() { b.Create("{apiVersion: wait.example.org/v1, kind: Latecomer, metadata: {name: a}}") }},
		{"pending: no status was reported yet", func() {
			b.Patch(clitest.Object(t, "{apiVersion: wait.example.org/v1, kind: Latecomer, metadata: {name: a}}"), "status",
				`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
		}},
	}
	at := 0
	code, last, _ := b.Wait(func(l clitest.Line) {
		if at < len(steps) && strings.HasPrefix(l.Wait+": "+l.Message, steps[at].on) { // a type like it may be named behind
			at++
			steps[at-1].do()
		}
	}, "late/a", "--for", "condition=Ready", "--stable-for", "100ms")
	b.Ends(code, last, "Met", 0)
	if at != len(steps) {
		t.Errorf("it was met after %d of %d steps", at, len(steps))
	}
}

// TestWaitForbidden: an object that may not be read is Unknown, with what is missing; the others are waited for.
func TestWaitForbidden(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(clitest.Deployment)
	b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
	b.Create(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: settings}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [settings], verbs: [list, watch]}]
`)
	b.Create(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: settings}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: settings}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}]
`)
	plane.Allowed(t, plane.ForTest(t), "alice", authorizationv1.ResourceAttributes{Namespace: b.Namespace, Verb: "watch", Resource: "configmaps",
		Name: "settings"})
	b.Kubeconfig = clitest.Kubeconfig(t, plane.ForTest(t), b.Namespace, "alice")
	var hidden clitest.Line
	code, last, errs := b.Wait(func(l clitest.Line) {
		if l.Wait == "hidden" {
			hidden = l
		}
	}, "deploy/web", "cm/settings", "--for", "verdict")
	if code == 0 {
		t.Error("a wait for what may not be read was met")
	}
	b.Ends(code, last, "Unknown", 6)
	if want := "you may not list and watch deployments.apps in namespace " + b.Namespace; hidden.Message != want {
		t.Errorf("-want +got\n%s\n%s", cmp.Diff(want, hidden.Message), errs)
	}
	code, last, _ = b.Wait(nil, "deploy/web", "cm/settings", "--count", "1")
	b.Ends(code, last, "Met", 0)
	code, last, _ = b.Wait(nil, "pods", "--timeout", "0")
	b.Ends(code, last, "Unknown", 6)
}

// TestWaitSelector: an object that a selector finds later counts, one that it no longer finds does not.
func TestWaitSelector(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: first, labels: {set: a}}}")
	step := map[string]bool{}
	once := func(name string, do func()) {
		if !step[name] {
			step[name] = true
			do()
		}
	}
	code, last, _ := b.Wait(func(l clitest.Line) {
		switch l.Object.Name + " " + l.Wait {
		case "first pending":
			once("second", func() {
				b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: second, labels: {set: a}}, data: {done: 'yes'}}")
			})
		case "second met":
			once("leave", func() {
				b.Patch(clitest.Object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: first}}"), "", `{"metadata":{"labels":{"set":"b"}}}`)
			})
		}
	}, "configmaps", "-l", "set=a", "--for", "cel=self.data.done == 'yes'")
	b.Ends(code, last, "Met", 0)
	if diff := cmp.Diff([]int{1, 1}, []int{last.Met, last.Total}); diff != "" {
		t.Errorf("met and total: -want +got\n%s", diff)
	}
	code, last, _ = b.Wait(nil, "configmaps", "-l", "set=none", "--for", "delete")
	b.Ends(code, last, "Met", 0)
}

// TestWaitSelector_none: a selector that never finds an object ends as not found.
func TestWaitSelector_none(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Clock.Rang = func(n int) { // nothing is printed before the end; the wait sets its alarm again once it has the list
		if n == 2 {
			b.Clock.Step(time.Hour)
		}
	}
	code, last, _ := b.Wait(nil, "configmaps", "-l", "set=none", "--timeout", "1h")
	b.Ends(code, last, "NotFound", 5)
}

// TestWaitDeclared: objects that a folder declares, and a report of them.
func TestWaitDeclared(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create(clitest.Deployment)
	b.Create("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}")
	dir, report := t.TempDir(), filepath.Join(t.TempDir(), "report.xml")
	for name, text := range map[string]string{"a.yaml": clitest.Deployment,
		"b.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, last, _ := b.Wait(nil, "-f", dir, "--timeout", "0", "--junit", report)
	b.Ends(code, last, "TimedOut", 4)
	_, last, _ = b.Wait(nil, "deploy/web", "deployments.apps/web", "--timeout", "0")
	if last.Total != 1 {
		t.Errorf("%d objects, want 1: it is named twice", last.Total)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`tests="2" failures="1" errors="0" skipped="0"`, `<testcase classname="Deployment" name="` + b.Namespace +
		`/web">`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the report lacks %s:\n%s", want, data)
		}
	}
}

// TestWaitUnreachable: requests to a server that does not answer are repeated, and its objects are unknown.
func TestWaitUnreachable(t *testing.T) {
	t.Parallel()
	b := &clitest.Bench{T: t, Kubeconfig: clitest.Kubeconfig(t, &rest.Config{Host: "http://127.0.0.1:1"}, "default", "")}
	for _, timeout := range []string{"0", "1s"} {
		code, last, _ := b.Wait(nil, "cm/settings", "--timeout", timeout)
		b.Ends(code, last, "Unreachable", 6)
	}
	code, last, _ := b.Wait(nil, "cm", "--timeout", "0")
	b.Ends(code, last, "Unreachable", 6)
}

// TestWaitInterrupted: an interrupt ends the wait with its own code.
func TestWaitInterrupted(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := writerFunc(func(p []byte) (int, error) {
		stop()
		return len(p), nil
	})
	a := &cli.App{In: &bytes.Buffer{}, Out: out, Err: io.Discard, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	if code := a.Run(ctx, []string{"wait", "--kubeconfig", b.Kubeconfig, "cm/none"}); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
