// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Install applies the CustomResourceDefinitions of YAML manifests and waits until they are served. Installing twice is fine.
func Install(ctx context.Context, config *rest.Config, manifests ...[]byte) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	var names []string
	for _, manifest := range manifests {
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
		for {
			var crd unstructured.Unstructured
			err := decoder.Decode(&crd)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("read a definition: %w", err)
			}
			if len(crd.Object) == 0 {
				continue
			}
			if crd.GetKind() != "CustomResourceDefinition" {
				return fmt.Errorf("%s/%s is not a CustomResourceDefinition", crd.GetKind(), crd.GetName())
			}
			if _, err := client.Resource(definitions).Apply(ctx, crd.GetName(), &crd, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
				return fmt.Errorf("install %s: %w", crd.GetName(), err)
			}
			names = append(names, crd.GetName())
		}
	}
	for _, name := range names {
		if err := established(ctx, client, name); err != nil {
			return fmt.Errorf("install %s: %w", name, err)
		}
	}
	return nil
}

// established waits until a definition is served.
func established(ctx context.Context, client dynamic.Interface, name string) error {
	for {
		crd, err := client.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(crd.Object, "status", "conditions")
		for _, entry := range list {
			if c, _ := entry.(map[string]any); c["type"] == "Established" && c["status"] == "True" {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it is not served: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
