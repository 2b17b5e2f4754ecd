// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/live"
	"github.com/tristate/tristate/internal/plane"
	"github.com/tristate/tristate/operators/internal/kubelet"
	"github.com/tristate/tristate/operators/kars/config"
	"github.com/tristate/tristate/operators/kars/internal/operator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Exit codes of kars-demo.
const (
	ExitFine   = 0
	ExitUsage  = 2
	ExitFailed = 3
)

// patience bounds every wait.
const patience = 3 * time.Minute

// Options say where the story is played.
type Options struct {
	Localplane string // the control plane; empty: bin/localplane of the repository
	Pace       time.Duration
	Out        io.Writer
}

// Main is the program kars-demo.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := Options{Out: stdout}
	flags := flag.NewFlagSet("kars-demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Localplane, "localplane", "", "the control plane binary (default bin/localplane of this repository)")
	flags.DurationVar(&o.Pace, "pace", 700*time.Millisecond, "wait after each step")
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if err := Run(ctx, o); err != nil {
		fmt.Fprintln(stderr, "kars-demo:", err)
		return ExitFailed
	}
	return ExitFine
}

// stage is where a story is played.
type stage struct {
	Options
	plane    *plane.Plane
	api      client.Client
	kubelet  *kubelet.Kubelet
	operator *operator.Operator
	store    atomic.Int64 // what the memory store answers
	ahead    atomic.Int64 // nanoseconds that the operator's clock is ahead
	step     int
}

// Run plays the story.
func Run(ctx context.Context, o Options) (err error) {
	ctrl.SetLogger(logr.Discard())
	start := time.Now()
	fmt.Fprintln(o.Out, "starting a control plane with a node …")
	p, err := plane.Start(ctx, plane.Options{Binary: o.Localplane, Nodes: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	s := &stage{Options: o, plane: p}
	dir, err := os.MkdirTemp("", "kars-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended, err := s.raise(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { cancel(); err = errors.Join(err, ended()) }()
	if err := s.play(ctx); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "\nThe story took %.0f s. The operator wrote %d statuses: one request for each that changed, none for any that did not.\n",
		time.Since(start).Seconds(), s.operator.Writer.Writes())
	return nil
}

// raise brings up the kinds, the store, the pods' kubelet and the operator. ended waits for all of them after the context has ended.
func (s *stage) raise(ctx context.Context, dir string) (ended func() error, err error) {
	definitions, err := config.CRDs.ReadDir("crd")
	if err != nil {
		return nil, err
	}
	for _, file := range definitions {
		data, err := config.CRDs.ReadFile("crd/" + file.Name())
		if err != nil {
			return nil, err
		}
		if err := live.Install(ctx, s.plane.Config(), data); err != nil {
			return nil, err
		}
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return nil, err
	}
	if s.api, err = client.New(s.plane.Config(), client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	for _, name := range []string{"kars-system", namespace} {
		if err := s.api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return nil, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	k, wait, err := kubelet.Start(ctx, s.plane.Config(), kubelet.Options{Dir: dir, Command: self, Programs: kubelet.Programs{"kars-router": {"--reload=100ms"}, "kars-eval-runner": nil}})
	if err != nil {
		return nil, err
	}
	s.kubelet = k
	s.store.Store(http.StatusOK)
	memory := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(s.store.Load())) }))
	done, err := s.operate(ctx, memory.URL)
	if err != nil {
		return nil, err
	}
	return func() error {
		err := <-done
		wait()
		memory.Close()
		return err
	}, nil
}

// now is the clock of the operator and of the commands.
func (s *stage) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// operate starts the operator.
func (s *stage) operate(ctx context.Context, memory string) (<-chan error, error) {
	proxy, err := url.Parse(s.kubelet.Proxy())
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	push := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	s.operator, err = operator.New(s.plane.Config(), operator.Options{
		PushAddress: push, PushURL: "http://" + push, InferenceEndpoint: "http://models.invalid", MemoryEndpoint: memory,
		RouterImage: "kars-router", RunnerImage: "kars-eval-runner", RuntimeImages: map[string]string{"OpenClaw": "openclaw"},
		Now:        s.now,
		RouterPoll: time.Second, Routers: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}},
		Manager: manager.Options{Metrics: server.Options{BindAddress: "0"}}, Registry: prometheus.NewRegistry(),
	})
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- s.operator.Start(ctx) }()
	return done, nil
}
