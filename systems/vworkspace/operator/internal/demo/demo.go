// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/stage"
	"github.com/tristate/tristate/systems/vworkspace/operator"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/operator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Names of the story.
const (
	system    = "vworkspace-system"
	namespace = "team-red"
	clusterID = "edge-1"
	bootstrap = "registration-token-of-the-demo"
	adaKey    = "ada-2026"
)

// Demo is the program vworkspace-demo.
var Demo = stage.Demo{
	Name: "vworkspace-demo", Namespace: namespace, CRDs: vworkspace.CRDs, Scheme: operator.Scheme,
	Versions: map[string]string{"ApplicationInstance": appsapi.GroupVersion.String(), "Operation": opsapi.GroupVersion.String(),
		"Cluster": opsapi.GroupVersion.String()},
	Story: func(s *stage.Stage) stage.Story { return &story{Stage: s} },
	First: "systems/vworkspace/first.yaml",
}

// story is the story with everything around the operator.
type story struct {
	*stage.Stage
	control  *controlplane.Server
	registry *registry
	hold     atomic.Bool // Helm works on the release
	key      any         // of Ada
}

// Raise starts the control plane, the registry and the players, and returns the operator.
func (d *story) Raise(ctx context.Context) (_ stage.Operator, err error) {
	if err := live.Install(ctx, d.Config, []byte(veleroBackup)); err != nil {
		return nil, err
	}
	if d.control, err = controlplane.New(controlplane.Options{BootstrapToken: bootstrap, Now: d.Now}); err != nil {
		return nil, err
	}
	address, err := d.Address(18443) // it goes away and comes back
	if err != nil {
		return nil, err
	}
	if err := d.control.Up(address); err != nil {
		return nil, err
	}
	d.Cleanup(func() error { d.control.Down(); return nil })
	private, public, err := claim.Generate()
	if err != nil {
		return nil, err
	}
	if d.key, err = claim.ParsePrivate(private); err != nil {
		return nil, err
	}
	if err := d.Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "velero"}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{kit.LabelNamespace: kit.ManagedNamespace}}},
		secret("bootstrap", "token", []byte(bootstrap)), secret("control-plane-ca", "ca.crt", d.control.CA()),
		secret(kit.ApprovalKeySecret, adaKey, public),
	); err != nil {
		return nil, err
	}
	if d.registry, err = newRegistry(d.Stage); err != nil {
		return nil, err
	}
	d.Cleanup(func() error { d.registry.down(); return nil })
	var players sync.WaitGroup
	players.Go(func() { d.controllers(ctx) })
	d.Cleanup(func() error { players.Wait(); return nil })
	return operator.New(d.Config, operator.Options{Settings: kit.Settings{ClusterID: clusterID, Controllers: []kit.Controller{}}, Now: d.Now,
		Manager: manager.Options{Metrics: server.Options{BindAddress: "0"},
			Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}}, Registry: prometheus.NewRegistry()})
}

func secret(name, key string, value []byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: name}, Data: map[string][]byte{key: value}}
}
