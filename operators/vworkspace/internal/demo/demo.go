// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/live"
	"github.com/tristate/tristate/internal/plane"
	"github.com/tristate/tristate/operators/internal/stage"
	"github.com/tristate/tristate/operators/vworkspace"
	appsapi "github.com/tristate/tristate/operators/vworkspace/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/claim"
	"github.com/tristate/tristate/operators/vworkspace/internal/controlplane"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
	"github.com/tristate/tristate/operators/vworkspace/internal/operator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Exit codes of vworkspace-demo.
const (
	ExitFine   = 0
	ExitUsage  = 2
	ExitFailed = 3
)

// Names of the story.
const (
	system    = "vworkspace-system"
	namespace = "team-red"
	clusterID = "edge-1"
	bootstrap = "registration-token-of-the-demo"
)

var approvalKey = bytes.Repeat([]byte("d"), claim.MinKeyLength)

// Options say where the story is played.
type Options struct {
	Localplane string // the control plane; empty: bin/localplane of the repository
	Pace       time.Duration
	Out        io.Writer
}

// Main is the program vworkspace-demo.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := Options{Out: stdout}
	flags := flag.NewFlagSet("vworkspace-demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Localplane, "localplane", "", "the control plane binary (default bin/localplane of this repository)")
	flags.DurationVar(&o.Pace, "pace", 700*time.Millisecond, "wait after each step")
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if err := Run(ctx, o); err != nil {
		fmt.Fprintln(stderr, "vworkspace-demo:", err)
		return ExitFailed
	}
	return ExitFine
}

// demo is a story that is played.
type demo struct {
	*stage.Stage
	cluster  *plane.Plane // the API server
	control  *controlplane.Server
	operator *operator.Operator
	registry *registry
	hold     atomic.Bool  // Helm works on the release
	ahead    atomic.Int64 // nanoseconds that the operator's clock is ahead
}

// Run plays the story.
func Run(ctx context.Context, o Options) (err error) {
	ctrl.SetLogger(logr.Discard())
	start := time.Now()
	fmt.Fprintln(o.Out, "starting an API server …")
	p, err := plane.Start(ctx, plane.Options{Binary: o.Localplane, Nodes: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &demo{cluster: p}
	d.Stage = &stage.Stage{Kubeconfig: p.Kubeconfig(), Namespace: namespace, Out: o.Out, Pace: o.Pace, Now: d.now, Versions: map[string]string{
		"ApplicationInstance": appsapi.GroupVersion.String(), "Operation": opsapi.GroupVersion.String(), "Cluster": opsapi.GroupVersion.String()}}
	ended, err := d.raise(ctx)
	if err != nil {
		return err
	}
	defer func() { cancel(); err = errors.Join(err, ended()) }()
	if err := d.play(ctx); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "\nThe story took %.0f s. The operator wrote %d statuses: one request for each that changed, none for any that did not.\n",
		time.Since(start).Seconds(), d.operator.Writer.Writes())
	return nil
}

// now is the clock of the operator and of the commands.
func (d *demo) now() time.Time { return time.Now().Add(time.Duration(d.ahead.Load())) }

// raise brings up the kinds, the registry, the control plane, the players and the operator. ended waits for all of them after the context has ended.
func (d *demo) raise(ctx context.Context) (ended func() error, err error) {
	err = fs.WalkDir(vworkspace.CRDs, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := vworkspace.CRDs.ReadFile(path)
		if err != nil {
			return err
		}
		return live.Install(ctx, d.cluster.Config(), data)
	})
	if err != nil {
		return nil, err
	}
	if err := live.Install(ctx, d.cluster.Config(), []byte(veleroBackup)); err != nil {
		return nil, err
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return nil, err
	}
	if d.API, err = client.New(d.cluster.Config(), client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	if d.control, err = controlplane.New(controlplane.Options{BootstrapToken: bootstrap, Now: d.now}); err != nil {
		return nil, err
	}
	if err := d.control.Up("127.0.0.1:0"); err != nil {
		return nil, err
	}
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "velero"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{kit.LabelNamespace: kit.ManagedNamespace}}},
		secret("bootstrap", "token", []byte(bootstrap)), secret("control-plane-ca", "ca.crt", d.control.CA()), secret(kit.ApprovalKeySecret, "current", approvalKey),
	} {
		if err := d.API.Create(ctx, o); err != nil {
			return nil, err
		}
	}
	if d.registry, err = newRegistry(); err != nil {
		return nil, err
	}
	d.operator, err = operator.New(d.cluster.Config(), operator.Options{ClusterID: clusterID, Now: d.now, Controllers: []kit.Controller{},
		Manager: manager.Options{Metrics: server.Options{BindAddress: "0"}}, Registry: prometheus.NewRegistry()})
	if err != nil {
		return nil, err
	}
	var players sync.WaitGroup
	players.Go(func() { d.controllers(ctx) })
	done := make(chan error, 1)
	go func() { done <- d.operator.Start(ctx) }()
	return func() error {
		err := <-done
		players.Wait()
		d.control.Down()
		d.registry.down()
		return err
	}, nil
}

func secret(name, key string, value []byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: name}, Data: map[string][]byte{key: value}}
}
