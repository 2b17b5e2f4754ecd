// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/proof/plane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// kubelet registers a node whose kubelet serves the logs of containers, and returns the name of the node.
func kubelet(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // containerLogs/NAMESPACE/POD/CONTAINER
		if len(parts) != 4 || parts[0] != "containerLogs" {
			http.NotFound(w, r)
			return
		}
		query := r.URL.Query()
		if parts[3] == "broken" {
			http.Error(w, "the disk is full", http.StatusInternalServerError)
			return
		}
		run := "this run"
		if query.Get("previous") == "true" {
			run = "the run before"
		}
		lines, err := strconv.Atoi(query.Get("tailLines"))
		if err != nil {
			lines = 1000
		}
		for n := range lines {
			fmt.Fprintf(w, "%s line %d of %s\x1b[31m\n", parts[3], n+1, run)
		}
		fmt.Fprintf(w, "panic: no such host: db\n")
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	node, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "logs-"}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.CoreV1().Nodes().Delete(context.Background(), node.Name, metav1.DeleteOptions{}); err != nil {
			t.Log(err)
		}
	})
	status := fmt.Sprintf(`{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"},{"type":"Hostname","address":"127.0.0.1"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":%d}}}}`, number)
	if _, err := client.CoreV1().Nodes().Patch(t.Context(), node.Name, types.StrategicMergePatchType, []byte(status), metav1.PatchOptions{},
		"status"); err != nil {
		t.Fatal(err)
	}
	return node.Name
}

// TestWhy_logs: why --logs shows the last lines of the container that it blames, of the run that failed.
func TestWhy_logs(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	client := kubernetes.NewForConfigOrDie(config)
	node := kubelet(t, client)
	crashed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", FinishedAt: metav1.Now()}}
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	tests := map[string]struct {
		phase  corev1.PodPhase
		init   []corev1.ContainerStatus
		status []corev1.ContainerStatus
		want   []string
		not    string
		code   int
	}{
		"crash loop": {phase: corev1.PodRunning, status: []corev1.ContainerStatus{
			{Name: "proxy", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
			{Name: "app", RestartCount: 4, State: waiting("CrashLoopBackOff"), LastTerminationState: crashed}},
			want: []string{"logs    container app, the run before", "  | app line 9 of the run before", "  | panic: no such host: db"},
			not:  "proxy line"},
		"ended": {phase: corev1.PodFailed, status: []corev1.ContainerStatus{{Name: "app", State: crashed}},
			want: []string{"logs    container app\n", "  | app line 9 of this run"}},
		"init container": {phase: corev1.PodPending,
			init:   []corev1.ContainerStatus{{Name: "migrate", RestartCount: 1, State: waiting("CrashLoopBackOff"), LastTerminationState: crashed}},
			status: []corev1.ContainerStatus{{Name: "app", State: waiting("PodInitializing")}},
			want:   []string{"logs    container migrate, the run before"}, not: "container app"},
		"not started": {phase: corev1.PodPending, status: []corev1.ContainerStatus{{Name: "app", State: waiting("ErrImagePull")}},
			want: []string{"ErrImagePull"}, not: "logs "},
		"no log to be had": {phase: corev1.PodRunning,
			status: []corev1.ContainerStatus{{Name: "broken", RestartCount: 4, State: waiting("CrashLoopBackOff"), LastTerminationState: crashed}},
			want:   []string{"logs    of container broken, the run before: ", "CrashLoopBackOff"}, code: exit.Unknown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := corev1.PodSpec{NodeName: node, RestartPolicy: corev1.RestartPolicyAlways}
			for _, c := range test.status {
				spec.Containers = append(spec.Containers, corev1.Container{Name: c.Name, Image: "example.com/a:1"})
			}
			for _, c := range test.init {
				spec.InitContainers = append(spec.InitContainers, corev1.Container{Name: c.Name, Image: "example.com/a:1"})
			}
			pod, err := client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "web-"},
				Spec: spec}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			pod.Status.Phase, pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses = test.phase, test.status, test.init
			if _, err := client.CoreV1().Pods(namespace).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) (string, string) {
				t.Helper()
				var out, errs bytes.Buffer
				a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
				if code := a.Run(t.Context(),
					append([]string{"why", "pod/" + pod.Name, "-n", namespace, "--kubeconfig", clitest.Kubeconfig(t, config, "", "")},
						args...)); code != test.code {
					t.Errorf("exit code %d, want %d: %s", code, test.code, &errs)
				}
				return out.String(), errs.String()
			}
			out, errs := run("--logs")
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("output lacks %q:\n%s%s", want, out, errs)
				}
			}
			if test.not != "" && strings.Contains(out, test.not) || strings.Contains(out, "\x1b") {
				t.Errorf("output has %q or an escape sequence:\n%q", test.not, out)
			}
			if len(test.want) > 2 {
				out, _ := run("--logs=3", "-o", "json")
				var list render.VerdictList
				if err := json.Unmarshal([]byte(out), &list); err != nil {
					t.Fatal(err)
				}
				if l := list.Items[0].Logs; l == nil || !l.Previous || len(l.Lines) != 3 || l.Lines[2] != "panic: no such host: db" {
					t.Errorf("logs: %+v", l)
				}
			}
		})
	}
}
