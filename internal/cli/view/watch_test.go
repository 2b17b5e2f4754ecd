// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/verdict"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// TestWatch: status --watch prints a line for each change of an object or of a catalog of the cluster.
func TestWatch(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client := kubernetes.NewForConfigOrDie(plane.OfTest(config))
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()

	service := func(name string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}}}
	}
	clitest.InstallClusterAPI(ctx, t, config)
	services := client.CoreV1().Services(namespace)
	if _, err := services.Create(ctx, service("web"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	lines, out := io.Pipe()
	a := cli.New()
	a.Out, a.Err, a.Terminal = out, io.Discard, false
	a.Env = func(string) string { return "" }
	watching, interrupt := context.WithCancel(ctx)
	ended := make(chan int, 1)
	go func() {
		ended <- a.Run(watching, []string{"status", "svc", "--watch", "--trust-cluster-catalogs", "-o", "jsonl", "-n", namespace, "--kubeconfig",
			clitest.Kubeconfig(t, config, "", "")})
		out.Close()
	}()
	scan := bufio.NewScanner(lines)
	next := func(name string, fine func(render.Item) bool) {
		t.Helper()
		for scan.Scan() {
			var item render.Item
			if err := json.Unmarshal(scan.Bytes(), &item); err != nil {
				t.Fatalf("%s: %v", scan.Text(), err)
			}
			if item.Object.Name == name && fine(item) {
				return
			}
		}
		t.Fatalf("no such line of %s", name)
	}
	next("web", func(i render.Item) bool { return i.Verdict == verdict.InProgress })

	web, err := services.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	web.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	if _, err := services.UpdateStatus(ctx, web, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	next("web", func(i render.Item) bool { return i.Verdict == verdict.Current })
	if _, err := services.Create(ctx, service("more"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	next("more", func(i render.Item) bool { return i.Verdict == verdict.InProgress })
	if err := services.Delete(ctx, "more", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	next("more", func(i render.Item) bool { return i.Verdict == verdict.NotFound })

	catalogs := dynamic.NewForConfigOrDie(config).Resource(schema.GroupVersionResource{Group: "tristate.dev", Version: "v1alpha1",
		Resource: "conditioncatalogs"})
	mine := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "tristate.dev/v1alpha1", "kind": "ConditionCatalog",
		"metadata": map[string]any{"name": "services"},
		"spec": map[string]any{"for": map[string]any{"group": "", "kind": "Service"},
			"verdicts": []any{map[string]any{"verdict": "Suspended", "reason": "Mine"}}}}}
	if _, err := catalogs.Create(ctx, mine, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // other tests read the catalogs of this control plane too
		_ = catalogs.Delete(context.Background(), "services", metav1.DeleteOptions{})
	})
	next("web", func(i render.Item) bool { return i.Verdict == verdict.Suspended && i.Reason == "Mine" })
	if err := catalogs.Delete(ctx, "services", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	next("web", func(i render.Item) bool { return i.Verdict == verdict.Current })

	interrupt()
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	if code := <-ended; code != exit.Interrupted {
		t.Errorf("exit code %d, want %d", code, exit.Interrupted)
	}
}

// TestWatch_children: status --watch prints an object whose children count again when one of these changes, comes or goes, and no other
// object.
func TestWatch_children(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client := kubernetes.NewForConfigOrDie(plane.OfTest(config))
	ctx := t.Context()
	catalog := filepath.Join(t.TempDir(), "settings.yaml")
	text := "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: settings}\nspec: {for: {group: \"\", kind: ConfigMap}, verdicts: [{verdict: Current}], children: {}}\n"
	if err := os.WriteFile(catalog, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	services := client.CoreV1().Services(namespace)
	owned := func(name string, owner *corev1.ConfigMap) {
		t.Helper()
		_, err := services.Create(ctx,
			&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name,
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}},
				Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	owners := map[string]*corev1.ConfigMap{}
	for _, name := range []string{"left", "right"} {
		owner, err := client.CoreV1().ConfigMaps(namespace).Create(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"test": "children"}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		owners[name] = owner
		owned(name+"-1", owner)
	}
	s := clitest.Start(t, time.Now, false, "status", "cm", "-l", "test=children", "--watch", "-o", "jsonl", "--catalogs", catalog, "-n",
		namespace, "--kubeconfig", clitest.Kubeconfig(t, config, "", ""))
	s.See(`"name":"left"`, `"reason":"ChildInProgress"`, "Service/left-1 is InProgress")
	s.See(`"name":"right"`, `"reason":"ChildInProgress"`)
	// From now on the next line is that of the object whose child has changed.
	expect := func(texts ...string) {
		t.Helper()
		line := s.See("")
		for _, text := range texts {
			if !strings.Contains(line, text) {
				t.Errorf("the next line lacks %q:\n%s", text, line)
			}
		}
	}
	web, err := services.Get(ctx, "left-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	web.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	if _, err := services.UpdateStatus(ctx, web, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	expect(`"name":"left"`, `"verdict":"Current"`)
	owned("left-2", owners["left"])
	expect(`"name":"left"`, "Service/left-2 is InProgress")
	if err := services.Delete(ctx, "right-1", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	expect(`"name":"right"`, `"verdict":"Current"`)
}

func deploymentOf(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: "example.com/web:1"}}
	return d
}

// TestWatchTree: tree --watch draws the tree of a Deployment again when an object below it changes.
func TestWatchTree(t *testing.T) {
	plane.NeedControllers(t)
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client := kubernetes.NewForConfigOrDie(plane.OfTest(config))
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()

	lines, out := io.Pipe()
	a := cli.New()
	a.Out, a.Err, a.Terminal = out, io.Discard, false
	a.Env = func(string) string { return "" }
	watching, interrupt := context.WithCancel(ctx)
	ended := make(chan int, 1)
	go func() {
		ended <- a.Run(watching, []string{"tree", "deploy/web", "--watch", "-n", namespace, "--kubeconfig",
			clitest.Kubeconfig(t, config, "", "")})
		out.Close()
	}()
	scan := bufio.NewScanner(lines)
	see := func(text string) {
		t.Helper()
		for scan.Scan() {
			if strings.Contains(scan.Text(), text) {
				return
			}
		}
		t.Fatalf("%q was not shown", text)
	}
	see("nothing is there yet")
	if _, err := client.AppsV1().Deployments(namespace).Create(ctx, deploymentOf("web"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	see("Deployment/web")
	see("Pod/web-")

	interrupt()
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	if code := <-ended; code != exit.Interrupted {
		t.Errorf("exit code %d, want %d", code, exit.Interrupted)
	}
}
