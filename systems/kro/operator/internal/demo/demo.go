// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/proof/world/stage"
	"github.com/tristate/tristate/systems/kro/operator"
	"github.com/tristate/tristate/systems/kro/operator/internal/operator"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

// Demo is the program kro-demo.
var Demo = stage.Demo{Name: "kro-demo", Namespace: "default", CRDs: kro.CRDs, Scheme: operator.Scheme,
	Versions: map[string]string{"ResourceGraphDefinition": "kro.run/v1alpha1", "WebApp": "kro.run/v1alpha1",
		"CustomResourceDefinition": "apiextensions.k8s.io/v1"},
	First: "systems/kro/operator/config/samples/definition.yaml",
	Story: func(s *stage.Stage) stage.Story { return &story{s} }}

type story struct{ *stage.Stage }

// Raise installs the kind of the catalogs, and returns the operator.
func (s *story) Raise(ctx context.Context) (stage.Operator, error) {
	if err := live.Install(ctx, s.Config, catalog.CRDYAML); err != nil {
		return nil, err
	}
	return operator.New(s.Config, operator.Options{Registry: prometheus.NewRegistry(), Now: s.Now, Manager: manager.Options{
		Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0", LeaderElectionNamespace: "default",
		Controller: ctrlconfig.Controller{SkipNameValidation: ptr.To(true)}}})
}

// Stay has nothing to do: what the operator makes are objects of the API server.
func (s *story) Stay(ctx context.Context) { <-ctx.Done() }

// Chapters of the story.
func (s *story) Chapters() []func(context.Context) {
	const shop = "kind: WebApp\nmetadata: {name: shop}\nspec: {outcome: hang}"
	const broken = "kind: WebApp\nmetadata: {name: broken}\nspec: {outcome: image-pull, deadline: 2}"
	return []func(context.Context){
		s.act("A definition becomes a kind.", s.define, "ResourceGraphDefinition/webapp", "Ready=True AllReady",
			"status", "resourcegraphdefinitions"),
		s.act("An instance, whose Deployment gets no pod: kro calls it ready.", s.makes(shop), "WebApp/shop", "Ready=Unknown Progressing",
			"tree", "webapp/shop"),
		s.act("The pod comes up.", s.corrects("shop"), "WebApp/shop", "Ready=True AllReady", "tree", "webapp/shop"),
		s.act("An image that cannot be pulled: a person must act.", s.makes(broken), "WebApp/broken", "Ready=False Failed", "why",
			"webapp/broken"),
		s.sample,
		s.act("It is corrected.", s.corrects("broken"), "WebApp/broken", "Ready=True AllReady", "status", "webapps"),
		s.act("The definition is deleted: its instances report that they are not maintained.", s.deletes("ResourceGraphDefinition", "webapp"),
			"WebApp/shop", "Ready=False DefinitionMissing", "why", "webapp/shop"),
		s.act("It is made again.", s.define, "WebApp/shop", "Ready=True AllReady", "status", "webapps"),
		s.act("The CustomResourceDefinition is deleted, and comes back.", s.deletes("CustomResourceDefinition", "webapps.kro.run"),
			"CustomResourceDefinition/webapps.kro.run", "Established=True InitialNamesAccepted", "status", "resourcegraphdefinition/webapp",
			"customresourcedefinition/webapps.kro.run"),
	}
}

// act returns a chapter: a change, the cell of an object that follows from it, and a command.
func (s *story) act(title string, change func(context.Context), object, cell string, show ...string) func(context.Context) {
	return func(ctx context.Context) {
		s.Say(title)
		kind, name, _ := strings.Cut(object, "/")
		change(ctx)
		s.Reach(ctx, kind, name, cell)
		s.Show(ctx, show...)
	}
}

// sample records a definition with one healthy and one failed instance, and everything that explains them.
func (s *story) sample(ctx context.Context) {
	s.Reach(ctx, "ResourceGraphDefinition", "webapp", "ResourceGraphReady=False ResourcesFailed")
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	s.Sample(ctx, "webapp.yaml", schema.GroupVersionKind{Group: "tristate.dev", Version: "v1alpha1", Kind: "ConditionCatalog"},
		v1alpha1.GroupVersion.WithKind("ResourceGraphDefinition"), v1alpha1.GroupVersion.WithKind("WebApp"),
		apps.WithKind("Deployment"), apps.WithKind("ReplicaSet"), schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
}

// define creates the definition of the kind WebApp.
func (s *story) define(ctx context.Context) {
	s.Do(func() error {
		fmt.Fprintln(s.Out, "  $ kubectl apply -f systems/kro/operator/testdata/webapp.yaml")
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(kro.WebApp), &u.Object); err != nil {
			return err
		}
		return s.Create(ctx, u)
	})
}

func (s *story) makes(document string) func(context.Context) {
	return func(ctx context.Context) { s.Apply(ctx, document) }
}

func (s *story) corrects(name string) func(context.Context) {
	return func(ctx context.Context) { s.Patch(ctx, "WebApp", name, `{"spec": {"outcome": "ready"}}`) }
}

// deletes deletes an object and waits until it is gone, or another one of its name exists.
func (s *story) deletes(kind, name string) func(context.Context) {
	return func(ctx context.Context) {
		o := s.Object(kind, name)
		var old types.UID
		s.Do(func() error {
			fmt.Fprintf(s.Out, "  $ kubectl delete %s/%s\n", strings.ToLower(kind), name)
			if err := s.API.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
				return err
			}
			old = o.GetUID()
			return s.API.Delete(ctx, o)
		})
		s.Until(ctx, func() error {
			err := s.API.Get(ctx, client.ObjectKeyFromObject(o), o)
			if err == nil && o.GetUID() == old {
				return errors.New("it is still there")
			}
			return client.IgnoreNotFound(err)
		})
	}
}
