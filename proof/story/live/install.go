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
	"github.com/tristate/tristate/internal/fleet/discovery"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	return served(ctx, config, client, names)
}

// served waits until definitions are served: they are established, discovery names them, and their objects can be listed. These are three
// moments, as each part of an API server has its own watch of the definitions.
func served(ctx context.Context, config *rest.Config, client dynamic.Interface, names []string) error {
	types, err := discovery.New(config, nil)
	if err != nil {
		return err
	}
	for {
		missing, err := unserved(ctx, types, client, names)
		if err != nil || missing == "" {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("install %s: it is not served: %w", missing, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// unserved returns the name of a definition that is not served yet.
func unserved(ctx context.Context, types *discovery.Types, client dynamic.Interface, names []string) (string, error) {
	groups, err := types.Ask()
	if err != nil {
		return "", err
	}
	known := map[schema.GroupVersionResource]bool{}
	for version, r := range discovery.Listable(groups...) {
		known[version.WithResource(r.Name)] = true
	}
	for _, name := range names {
		content, err := client.Resource(crd.Resource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", fmt.Errorf("install %s: %w", name, err)
		}
		d, err := crd.Read(content.Object)
		if err != nil || !d.Established() {
			return name, nil
		}
		for _, version := range d.Served() {
			resource := d.Mapping(version).Resource
			if !known[resource] {
				return name, nil
			}
			if _, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1}); apierrors.IsNotFound(err) {
				return name, nil
			}
		}
	}
	return "", nil
}
