// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/kars/operator/internal/karssandbox"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/router"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hall has the routers of many sandboxes in one process, where a process for each would be too much for a machine. They are the state and
// the server of kars-router; the hall brings the files of a router up to date when the router is asked, and calls its memory store once. As
// a kubelet does, it watches the objects that are mounted: requests of its own for each question would be most of the load of the API
// server.
type hall struct {
	api    client.Reader
	dir    string
	memory *url.URL
	now    func() time.Time

	mu      sync.Mutex
	routers map[string]*housed
}

// housed is a router of a hall.
type housed struct {
	mu         sync.Mutex
	root       string
	state      *router.State
	handler    http.Handler
	agent      http.Handler
	token      func() string // of the agent
	remembered bool
}

func newHall(t *testing.T, w *world.World, memory string) *hall {
	t.Helper()
	at, err := url.Parse(memory)
	if err != nil {
		t.Fatal(err)
	}
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{child.LabelManaged: kit.Manager})}
	watched, err := cache.New(w.Config, cache.Options{Scheme: w.API.Scheme(), ByObject: map[client.Object]cache.ByObject{
		&appsv1.Deployment{}: ours, &corev1.ConfigMap{}: ours, &corev1.Secret{}: ours}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- watched.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &hall{api: watched, dir: t.TempDir(), memory: at, now: w.Now, routers: map[string]*housed{}}
}

// RoundTrip asks a router by the name of its Service.
func (h *hall) RoundTrip(r *http.Request) (*http.Response, error) {
	parts := strings.Split(r.URL.Hostname(), ".")
	if len(parts) < 2 {
		return nil, errors.New("this is not the name of a Service")
	}
	one := h.router(parts[1])
	one.mu.Lock()
	defer one.mu.Unlock()
	if err := h.mount(r, parts[1], one.root); err != nil {
		return nil, err
	}
	one.state.Load()
	if !one.remembered {
		call := httptest.NewRequestWithContext(r.Context(), http.MethodGet, "/memory/notes", nil)
		call.Header.Set("Authorization", "Bearer "+one.token())
		answer := httptest.NewRecorder()
		one.agent.ServeHTTP(answer, call)
		one.remembered = answer.Code == http.StatusOK
	}
	answer := httptest.NewRecorder()
	one.handler.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func (h *hall) router(namespace string) *housed {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.routers[namespace]
	if one == nil {
		root := filepath.Join(h.dir, namespace)
		state := router.NewState(root, h.now)
		token := func(folder string) func() string {
			return func() string {
				body, err := os.ReadFile(filepath.Join(root, folder, kit.TokenKey))
				if err != nil {
					return ""
				}
				return string(body)
			}
		}
		server := &router.Server{State: state, Memory: h.memory, Token: token("token"), Agent: token("agent-token")}
		one = &housed{root: root, state: state, handler: server.Handler(), agent: server.AgentHandler(), token: server.Agent}
		h.routers[namespace] = one
	}
	return one
}

// mount writes the volumes of a sandbox's Deployment as files; without an available pod there is nobody to answer.
func (h *hall) mount(r *http.Request, namespace, root string) error {
	var deployment appsv1.Deployment
	if err := h.api.Get(r.Context(), client.ObjectKey{Namespace: namespace, Name: strings.TrimPrefix(namespace, kit.SandboxNamespace(""))},
		&deployment); err != nil {
		return err
	}
	if deployment.Status.AvailableReplicas == 0 {
		return errors.New("no pod is available")
	}
	pod := deployment.Spec.Template.Spec
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			folder, ok := strings.CutPrefix(m.MountPath, karssandbox.Root+"/")
			if !ok {
				continue
			}
			files, err := h.files(r, namespace, pod.Volumes, m.Name)
			if err != nil {
				return err
			}
			if err := fill(filepath.Join(root, folder), files); err != nil {
				return err
			}
		}
	}
	return nil
}

// files returns the files of a volume; an optional one may have none.
func (h *hall) files(r *http.Request, namespace string, volumes []corev1.Volume, name string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, v := range volumes {
		switch {
		case v.Name != name:
		case v.Secret != nil:
			var secret corev1.Secret
			if err := h.api.Get(r.Context(), client.ObjectKey{Namespace: namespace, Name: v.Secret.SecretName}, &secret); err != nil {
				return nil, err
			}
			files = secret.Data
		case v.ConfigMap != nil:
			var config corev1.ConfigMap
			if err := h.api.Get(r.Context(), client.ObjectKey{Namespace: namespace, Name: v.ConfigMap.Name},
				&config); client.IgnoreNotFound(err) != nil {
				return nil, err
			}
			for key, text := range config.Data {
				files[key] = []byte(text)
			}
		}
	}
	return files, nil
}

// fill makes a folder have exactly some files.
func fill(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	have, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range have {
		if _, wanted := files[f.Name()]; !wanted {
			if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	for name, body := range files {
		if old, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Equal(old, body) {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			return err
		}
	}
	return nil
}
