// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"errors"
	"strings"

	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// addons lists the objects that an agent looks at in a workload cluster, with the annotation of the control plane for
// each.
var addons = []struct {
	id         relation.ID
	annotation string
}{
	{relation.ID{GroupKind: schema.GroupKind{Group: "apps", Kind: "DaemonSet"}, Namespace: DefaultNamespace, Name: "kube-proxy"},
		"addons.tristate.dev/kube-proxy"},
	{relation.ID{GroupKind: schema.GroupKind{Group: "apps", Kind: "Deployment"}, Namespace: DefaultNamespace, Name: "coredns"},
		"addons.tristate.dev/coredns"},
}

// agent observes kube-proxy and CoreDNS of a workload cluster for a control plane of Cluster API. A story has one namespace, which is both
// the management cluster and kube-system of the workload cluster.
type agent struct {
	world        World
	controlPlane relation.ID
}

// look reads both add-ons and writes the tags of their images into annotations of the control plane, in one patch and only where one
// differs. An add-on that does not exist has no annotation.
func (a agent) look(ctx context.Context) error {
	controlPlane, err := a.world.Get(ctx, a.controlPlane)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	stored := (&unstructured.Unstructured{Object: controlPlane}).GetAnnotations()
	changed := map[string]any{}
	for _, addon := range addons {
		object, err := a.world.Get(ctx, addon.id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		switch tag := imageTag(object, addon.id.Name); {
		case tag == stored[addon.annotation]:
		case tag == "":
			changed[addon.annotation] = nil
		default:
			changed[addon.annotation] = tag
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return a.world.Patch(ctx, a.controlPlane, map[string]any{"metadata": map[string]any{"annotations": changed}})
}

// imageTag returns the tag of the image of a container in the pod template of a workload; empty without one.
func imageTag(workload map[string]any, container string) string {
	containers, _, _ := unstructured.NestedSlice(workload, "spec", "template", "spec", "containers")
	for _, c := range containers {
		c, _ := c.(map[string]any)
		if c["name"] != container {
			continue
		}
		image, _ := c["image"].(string)
		image, _, _ = strings.Cut(image, "@")
		if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
			return image[i+1:]
		}
	}
	return ""
}
