// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/proof/plane"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) { plane.Main(m) }

// TestRun: a stack follows its deployment, which the deployment controller of the control plane judges.
func TestRun(t *testing.T) {
	config := plane.ForTest(t)
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{"crd.yaml"}, MaxTime: 5 * time.Minute, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	namespace := plane.Namespace(t, config)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, config, slog.New(slog.DiscardHandler)) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()

	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	create := func(text string) *unstructured.Unstructured {
		t.Helper()
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}
		o.SetNamespace(namespace)
		if err := api.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	stack := create(`{apiVersion: example.dev/v1, kind: Stack, metadata: {name: shop}}`)
	web := create(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {stack: shop}}, spec: {replicas: 1, selector: {matchLabels: {app: web}},
		template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: example.com/web}]}}}}`)
	says := func(want ...string) {
		t.Helper()
		for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
			if err := api.Get(ctx, client.ObjectKeyFromObject(stack), stack); err != nil {
				t.Fatal(err)
			}
			list, _ := wire.FromObject(stack.Object, conditions.DialectCore)
			var got []string
			for _, c := range list {
				got = append(got, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
			}
			diff := cmp.Diff(want, got)
			if diff == "" {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("conditions: -want +got\n%s", diff)
			}
		}
	}
	says("Ready=False MinimumReplicasUnavailable", "DeploymentsAvailable=False MinimumReplicasUnavailable")
	if err := api.Patch(ctx, web, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":0}}`))); err != nil {
		t.Fatal(err)
	}
	says("Ready=True Healthy", "DeploymentsAvailable=True Healthy")
}
