// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"context"
	"fmt"

	"github.com/tristate/tristate/operators/internal/child"
	api "github.com/tristate/tristate/operators/vworkspace/api/apps/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups="",resources=pods;services;persistentvolumeclaims,verbs=list
// +kubebuilder:rbac:groups=apps,resources=statefulsets;daemonsets,verbs=list
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list

// awaited are the kinds of objects that an uninstall waits for. A claim is awaited once it is being deleted: Helm keeps those of StatefulSets.
var awaited = []schema.GroupVersionKind{
	corev1.SchemeGroupVersion.WithKind("Pod"), corev1.SchemeGroupVersion.WithKind("Service"), corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
	appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion.WithKind("StatefulSet"), appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
	batchv1.SchemeGroupVersion.WithKind("Job"),
}

// leftovers are the objects of the chart that are still there, at most ten; objects that Helm keeps do not count.
func (g *gatherer) leftovers(ctx context.Context, o *api.ApplicationInstance) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for _, gvk := range awaited {
		for _, selector := range belongs(o) {
			list := &metav1.PartialObjectMetadataList{}
			list.SetGroupVersionKind(gvk)
			if err := g.Manager.GetAPIReader().List(ctx, list, client.InNamespace(o.Namespace), selector); err != nil {
				return nil, err
			}
			for _, item := range list.Items {
				name := fmt.Sprintf("%s %s", gvk.Kind, item.Name)
				kept := item.Annotations["helm.sh/resource-policy"] == "keep" || gvk.Kind == "PersistentVolumeClaim" && item.DeletionTimestamp.IsZero()
				if kept || seen[name] || len(out) == 10 {
					continue
				}
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out, nil
}

// uninstall deletes the HelmRelease, whose controller then removes what the chart made.
func (g *gatherer) uninstall(ctx context.Context, o *api.ApplicationInstance) (left bool, err error) {
	gvk := kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease")
	if !g.Served.Serves(gvk) {
		return false, nil // without the kind there is no release
	}
	release := &metav1.PartialObjectMetadata{}
	release.SetGroupVersionKind(gvk)
	err = g.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.Release.Name}, release)
	if err != nil {
		if meta.IsNoMatchError(err) {
			return false, nil
		}
		return false, client.IgnoreNotFound(err)
	}
	if release.Labels[child.LabelManaged] != kit.Manager || release.Labels[api.LabelInstance] != o.Name {
		return false, nil // somebody else's
	}
	if release.DeletionTimestamp.IsZero() {
		uid := release.GetUID()
		if err := g.Manager.GetClient().Delete(ctx, release, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			return true, err
		}
	}
	return true, nil
}

// gone reports whether nothing is left of the instance.
func (g *gatherer) gone(ctx context.Context, o *api.ApplicationInstance) (bool, error) {
	left, err := g.uninstall(ctx, o)
	if err != nil || left {
		return false, err
	}
	children, err := g.leftovers(ctx, o)
	if err != nil || len(children) > 0 {
		return false, err
	}
	return g.Agent.Taken(string(o.UID), o.Status.Transitions), nil
}
