// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"context"
	"errors"
	"testing"
	"time"

	internalapi "github.com/kubernetes-sigs/kro/api/internal.kro.run/v1alpha1"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	kroclient "github.com/kubernetes-sigs/kro/pkg/client"
	"github.com/kubernetes-sigs/kro/pkg/controller/graphrevision"
	"github.com/kubernetes-sigs/kro/pkg/controller/resourcegraphdefinition"
	"github.com/kubernetes-sigs/kro/pkg/dynamiccontroller"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/graph/revisions"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// upstream starts kro 0.9.4 from its own packages, put together as its program does it, with the defaults of its flags but for the workers
// and, where it is not 0, for the limit of requests a second.
func upstream(workers int, qps float32) runner {
	return func(_ *testing.T, _ *side, config *rest.Config, _ *prometheus.Registry) (world.Operator, error) {
		scheme := runtime.NewScheme()
		if err := errors.Join(clientgoscheme.AddToScheme(scheme), apiext.AddToScheme(scheme), v1alpha1.AddToScheme(scheme),
			internalapi.AddToScheme(scheme)); err != nil {
			return nil, err
		}
		if qps == 0 {
			qps = 100
		}
		set, err := kroclient.NewSet(kroclient.Config{RestConfig: config, QPS: qps, Burst: int(qps * 3 / 2)})
		if err != nil {
			return nil, err
		}
		o := options()
		o.Scheme, o.Client = scheme, client.Options{HTTPClient: set.HTTPClient()}
		o.Controller.UsePriorityQueue = new(false) // one that is shut down can block for ever, as operator.NewHost says
		mgr, err := ctrl.NewManager(set.RESTConfig(), o)
		if err != nil {
			return nil, err
		}
		dynamic := dynamiccontroller.NewDynamicController(mgr.GetLogger(), dynamiccontroller.Config{
			Workers: workers, ResyncPeriod: 10 * time.Hour, QueueMaxRetries: 20, MinRetryDelay: 200 * time.Millisecond,
			MaxRetryDelay: 1000 * time.Second,
			RateLimit:     10, BurstLimit: 100,
		}, set.Metadata(), set.RESTMapper())
		builder, err := graph.NewBuilder(set.RESTConfig(), set.HTTPClient())
		if err != nil {
			return nil, err
		}
		registry := revisions.NewRegistry()
		if err := resourcegraphdefinition.NewResourceGraphDefinitionReconciler(set, dynamic, builder, registry, resourcegraphdefinition.Config{
			InstanceRequeueInterval: 3 * time.Second, ProgressRequeueDelay: 3 * time.Second, MaxConcurrentReconciles: 1, MaxGraphRevisions: 5,
			RGDConfig: operator.Limits,
		}).SetupWithManager(mgr); err != nil {
			return nil, err
		}
		if err := graphrevision.NewGraphRevisionReconciler(builder, registry, 1, operator.Limits).SetupWithManager(mgr); err != nil {
			return nil, err
		}
		if err := mgr.Add(dynamic); err != nil {
			return nil, err
		}
		return kro{mgr}, nil
	}
}

// kro is the program of the project. It is not woken.
type kro struct{ manager.Manager }

func (kro) Wake(context.Context) error { return nil }
