// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/kubelet"
	"github.com/tristate/tristate/proof/world/stage"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/config"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	"github.com/tristate/tristate/systems/kars/operator/internal/operator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const namespace = "team-red"

// Demo is the program kars-demo.
var Demo = stage.Demo{
	Name: "kars-demo", Namespace: namespace, CRDs: config.CRDs, Scheme: operator.Scheme,
	Versions: map[string]string{"KarsSandbox": version, "InferencePolicy": version, "ToolPolicy": version, "KarsMemory": version,
		"EgressApproval": version},
	Story: func(s *stage.Stage) stage.Story { return &story{Stage: s} },
	First: "systems/kars/first.yaml",
}

var version = api.GroupVersion.String()

// story is the story with everything around the operator.
type story struct {
	*stage.Stage
	kubelet *kubelet.Kubelet
	store   atomic.Int64 // status code that the memory store answers with
}

// Raise starts the memory store and the kubelet of the pods, and returns the operator.
func (s *story) Raise(ctx context.Context) (stage.Operator, error) {
	for _, name := range []string{namespace, "kars-system"} {
		if err := s.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return nil, err
		}
	}
	s.store.Store(http.StatusOK)
	memory := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(s.store.Load())) }))
	s.Cleanup(func() error { memory.Close(); return nil })
	dir, err := os.MkdirTemp("", "kars-demo-")
	if err != nil {
		return nil, err
	}
	s.Cleanup(func() error { return os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	k, wait, err := kubelet.Start(ctx, s.Config,
		kubelet.Options{Dir: dir, Command: self, Programs: kubelet.Programs{"kars-router": {"--reload=100ms"}, "kars-eval-runner": nil}})
	if err != nil {
		return nil, err
	}
	s.Cleanup(func() error { wait(); return nil })
	s.kubelet = k
	proxy, err := url.Parse(k.Proxy())
	if err != nil {
		return nil, err
	}
	push, err := plane.Free()
	if err != nil {
		return nil, err
	}
	return operator.New(s.Config, operator.Options{
		Settings: kit.Settings{PushURL: "http://" + push, InferenceEndpoint: "http://models.invalid", MemoryEndpoint: memory.URL,
			RouterImage: "kars-router", RunnerImage: "kars-eval-runner", RuntimeImages: map[string]string{"OpenClaw": "openclaw"}},
		PushAddress: push, Now: s.Now,
		RouterPoll: time.Second, Routers: &http.Client{Timeout: echo.Timeout, Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}},
		Manager: manager.Options{Metrics: server.Options{BindAddress: "0"},
			Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}}, Registry: prometheus.NewRegistry(),
	})
}
