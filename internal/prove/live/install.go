// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tristate/tristate/internal/declare/crd"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

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
			var content unstructured.Unstructured
			err := decoder.Decode(&content)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("read a definition: %w", err)
			}
			if len(content.Object) == 0 {
				continue
			}
			if content.GetKind() != crd.Kind.Kind {
				return fmt.Errorf("%s/%s is not a CustomResourceDefinition", content.GetKind(), content.GetName())
			}
			if _, err := client.Resource(crd.Resource).Apply(ctx, content.GetName(), &content,
				metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
				return fmt.Errorf("install %s: %w", content.GetName(), err)
			}
			names = append(names, content.GetName())
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
		content, err := client.Resource(crd.Resource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if d, err := crd.Read(content.Object); err == nil && d.Established() {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it is not served: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
