// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	revisions "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	kroclient "github.com/kubernetes-sigs/kro/pkg/client"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/systems"
	api "github.com/tristate/tristate/systems/kro/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kro/operator/internal/declare"
	"github.com/tristate/tristate/systems/kro/operator/internal/definition"
	"github.com/tristate/tristate/systems/kro/operator/internal/instance"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Options configure an operator.
type Options struct {
	Workers     int               // instances that are reconciled at a time; 0: 4
	QPS         float32           // requests a second, on average; 0: 100, the default of kro; below 0: no limit
	Burst       int               // requests at once; 0: half as many again
	GraphOnly   bool              // ResourceGraphReady is about the graph alone, as in kro
	DeleteKinds bool              // delete the CustomResourceDefinition with its definition, and with it every instance
	Readiness   declare.Readiness // of definitions that do not choose; empty: strict
	Adopt       instance.Adopt    // which existing objects instances take over; empty: labelled ones
	Limits      graph.Config      // of collections; zero: [Limits]
	Revisions   int               // GraphRevisions of a definition that are kept; 0: 5, the default of kro; below 0: all
	Now         func() time.Time
	Manager     manager.Options // leader election, metrics, health
	Registry    prometheus.Registerer
}

// Limits are the limits of collections, with the defaults of kro.
var Limits = graph.Config{MaxCollectionSize: 1000, MaxCollectionDimensionSize: 10}

// Scheme returns a scheme with the types that the operator uses.
func Scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientgoscheme.AddToScheme(s), api.AddToScheme(s), revisions.AddToScheme(s), apiext.AddToScheme(s))
}

// Operator is a manager with its reconcilers.
type Operator struct {
	*operator.Host
	definitions *definition.Reconciler
}

// Start runs the operator until the context ends. The conditions of definitions have to be those of metav1.
func (o *Operator) Start(ctx context.Context) error {
	crd := &apiext.CustomResourceDefinition{}
	if err := o.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Name: definition.CRDName}, crd); err != nil {
		return err
	}
	if !definition.Strict(crd) {
		return fmt.Errorf("the CustomResourceDefinition %s is kro's: kro-operator migrate --definition FILE installs the operator's and "+
			"converts what is stored", crd.Name)
	}
	return o.Host.Start(ctx)
}

// Wake reconciles every definition and every instance again.
func (o *Operator) Wake(ctx context.Context) error {
	o.definitions.Wake()
	return o.Host.Wake(ctx)
}

// New returns an operator for a cluster.
func New(config *rest.Config, o Options) (*Operator, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	o.Limits, o.Revisions, o.Workers, o.QPS = cmp.Or(o.Limits, Limits), cmp.Or(o.Revisions, 5), cmp.Or(o.Workers, 4), cmp.Or(o.QPS, 100)
	o.Burst = cmp.Or(o.Burst, int(o.QPS*3/2))
	set, err := kroclient.NewSet(kroclient.Config{RestConfig: rest.CopyConfig(config), QPS: o.QPS, Burst: o.Burst})
	if err != nil {
		return nil, err
	}
	o.Manager.Scheme, o.Manager.LeaderElectionID = scheme, "tristate.kro.run"
	host, err := operator.NewHost(set.RESTConfig(), operator.Options{Name: "kro", Account: definition.Manager, Domain: "tristate.kro.run",
		Now: o.Now, Registry: o.Registry, Manager: o.Manager})
	if err != nil {
		return nil, err
	}
	mgr := host.Manager
	host.Children.Label, host.Children.Metadata = "kro-tristate", true
	known, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		return nil, err
	}
	builder, err := graph.NewBuilder(set.RESTConfig(), set.HTTPClient(), graph.WithRESTMapper(mgr.GetRESTMapper()))
	if err != nil {
		return nil, err
	}
	dynamic := dynamiccontroller.NewDynamicController(mgr.GetLogger(), dynamiccontroller.Config{
		Workers: o.Workers, ResyncPeriod: 10 * time.Hour, QueueMaxRetries: math.MaxInt, MinRetryDelay: 200 * time.Millisecond,
		MaxRetryDelay: time.Minute, RateLimit: 100, BurstLimit: 1000,
	}, set.Metadata(), mgr.GetRESTMapper())
	kinds := &definition.Kinds{}
	shared := &instance.Shared{Host: host, Client: set.Dynamic(), Mapper: mgr.GetRESTMapper(), Coordinator: dynamic.Coordinator(),
		Kinds: kinds, Engine: pack.Default(known), Limits: o.Limits, Readiness: o.Readiness, Adopt: o.Adopt,
		Workers: o.Workers, Namespace: cmp.Or(o.Manager.LeaderElectionNamespace, "kro-system"), Log: mgr.GetLogger().WithName("instances")}
	reconciler := &definition.Reconciler{
		Host: host, Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Mapper: mgr.GetRESTMapper(), Builder: builder, Limits: o.Limits,
		Dynamic: dynamic, Kinds: kinds, Hands: &definition.Hands{Client: set.Metadata()},
		Handler: shared.Handler, GraphOnly: o.GraphOnly, DeleteKinds: o.DeleteKinds, Revisions: o.Revisions,
	}
	return &Operator{host, reconciler}, errors.Join(reconciler.Setup(), mgr.Add(dynamic))
}
