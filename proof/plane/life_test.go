// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// components is how many processes a control plane has: localplane and one for each of etcd, kube-apiserver and
// kube-controller-manager.
const components = 4

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	p := start(t, Options{})
	processes := family(t, p.PID())
	if len(processes) != components {
		t.Errorf("processes: want %d, got %v", components, processes)
	}
	if err := p.Err(); err != nil {
		t.Errorf("while running: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if err := alive(processes); err != nil {
		t.Error(err)
	}
	if err := absent(filepath.Dir(p.Kubeconfig())); err != nil {
		t.Error(err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("second stop: %v", err)
	}
}

// When one process is killed, without a chance to clean up, the others end too, and the temporary folder is removed.
func TestKilled(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T) (victim int, supervisor int, kubeconfig string){
		"the program that started it": func(t *testing.T) (int, int, string) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), envStarter+"=1")
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			var supervisor int
			var kubeconfig string
			if _, err := fmt.Fscan(out, &supervisor, &kubeconfig); err != nil {
				t.Fatal(err)
			}
			return cmd.Process.Pid, supervisor, kubeconfig
		},
		"the supervisor": func(t *testing.T) (int, int, string) {
			p := start(t, Options{})
			return p.PID(), p.PID(), p.Kubeconfig()
		},
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needBinary(t)
			victim, supervisor, kubeconfig := begin(t)
			processes := family(t, supervisor)
			if len(processes) != components {
				t.Fatalf("processes: want %d, got %v", components, processes)
			}
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			eventually(t, func(context.Context) error { return alive(processes) })
			if err := absent(filepath.Dir(kubeconfig)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestKilledComponent(t *testing.T) {
	t.Parallel()
	p := start(t, Options{})
	processes := family(t, p.PID())
	last := processes[len(processes)-1]
	if err := syscall.Kill(last.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "stopped (signal: killed)") {
		t.Errorf("want the component's end, got %v", err)
	}
	if err := alive(processes); err != nil {
		t.Error(err)
	}
}

func TestFolderIsUsedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, Options{Dir: dir})
	createMap(t, first, "kept")

	_, err := Start(t.Context(), Options{Dir: dir})
	if want := fmt.Sprintf("data folder %s is in use by process %d", dir, first.PID()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second start: want %q, got %v", want, err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}

	second := start(t, Options{Dir: dir})
	client, err := kubernetes.NewForConfig(second.Config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if first.Kubeconfig() != second.Kubeconfig() {
		t.Errorf("kubeconfig: want %s again, got %s", first.Kubeconfig(), second.Kubeconfig())
	}
}

func TestDetached(t *testing.T) {
	t.Parallel()
	p := start(t, Options{Detach: true})
	createMap(t, p, "any")
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	needBinary(t)
	foreign := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(foreign, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := map[string]struct {
		ctx  context.Context
		opts Options
		want string
	}{
		"no binary":          {t.Context(), Options{Binary: filepath.Join(t.TempDir(), "nothing")}, "no such file"},
		"foreign kubeconfig": {t.Context(), Options{Kubeconfig: foreign}, "was not written by localplane"},
		"foreign folder":     {t.Context(), Options{Dir: filepath.Dir(foreign)}, "is neither empty nor one of localplane"},
		"cancelled":          {cancelled, Options{}, "context canceled"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Start(test.ctx, test.opts)
			if err == nil {
				t.Fatalf("want an error, got a control plane: %v", p.Stop())
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q in the error, got %v", test.want, err)
			}
		})
	}
	if data, err := os.ReadFile(foreign); err != nil || string(data) != "precious" {
		t.Errorf("the foreign file was touched: %q, %v", data, err)
	}
}

func createMap(t *testing.T, p *Plane, name string) {
	t.Helper()
	client, err := kubernetes.NewForConfig(p.Config())
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
