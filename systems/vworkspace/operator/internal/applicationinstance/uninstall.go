// SPDX-License-Identifier: Apache-2.0

package applicationinstance

import (
	"context"
	"fmt"
	"strings"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An uninstall waits for the objects that the inventory of the HelmRelease names. The operator may read those of the kinds that charts are
// usually made of; of other kinds an administrator has to grant get, or they are not awaited.
//
// +kubebuilder:rbac:groups="",resources=pods;services;persistentvolumeclaims,verbs=list
// +kubebuilder:rbac:groups="",resources=services;persistentvolumeclaims;serviceaccounts,verbs=get
// +kubebuilder:rbac:groups=apps,resources=deployments;statefulsets;daemonsets,verbs=get;list
// +kubebuilder:rbac:groups=batch,resources=jobs;cronjobs,verbs=get;list
// +kubebuilder:rbac:groups=networking.k8s.io,resources=ingresses;networkpolicies,verbs=get
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get
// +kubebuilder:rbac:groups=autoscaling,resources=horizontalpodautoscalers,verbs=get
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings;clusterroles;clusterrolebindings,verbs=get

// maxInventory bounds the inventory that is stored; more objects are not awaited.
const maxInventory = 500

var (
	pods   = corev1.SchemeGroupVersion.WithKind("Pod")
	claims = corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim")
)

// dependents are the kinds of objects that no inventory names, because other controllers make them. A claim is awaited once it is being
// deleted: Helm keeps those of StatefulSets.
var dependents = []schema.GroupVersionKind{pods, claims}

// usual are the kinds that are looked for besides where the HelmRelease has no inventory: an older helm-controller, or an installation that
// was never finished.
var usual = []schema.GroupVersionKind{
	corev1.SchemeGroupVersion.WithKind("Service"), appsv1.SchemeGroupVersion.WithKind("Deployment"),
	appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
	appsv1.SchemeGroupVersion.WithKind("DaemonSet"), batchv1.SchemeGroupVersion.WithKind("Job"),
	batchv1.SchemeGroupVersion.WithKind("CronJob"),
}

// release reads the HelmRelease of an instance; nil: it is gone, or of another owner.
func (g *gatherer) release(ctx context.Context, o *api.ApplicationInstance) (*helmv2.HelmRelease, error) {
	gvk := kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease")
	if !g.Served.Serves(gvk) {
		return nil, nil // without the kind there is no release
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	if err := g.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.Release.Name}, u); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, client.IgnoreNotFound(err)
	}
	if u.GetLabels()[child.LabelManaged] != kit.Manager || u.GetLabels()[api.LabelInstance] != o.Name {
		return nil, nil
	}
	hr := &helmv2.HelmRelease{}
	return hr, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, hr)
}

// inventory returns the objects that the status of a HelmRelease names.
func inventory(hr *helmv2.HelmRelease) (out []api.InventoryEntry) {
	if hr.Status.Inventory == nil {
		return nil
	}
	for _, e := range hr.Status.Inventory.Entries[:min(len(hr.Status.Inventory.Entries), maxInventory)] {
		out = append(out, api.InventoryEntry{ID: e.ID, Version: e.Version})
	}
	return out
}

// parse reads an entry, which Flux writes as NAMESPACE_NAME_GROUP_KIND; a colon of the name is "__".
func parse(e api.InventoryEntry) (gvk schema.GroupVersionKind, key client.ObjectKey, ok bool) {
	rest, kind, ok1 := cutLast(e.ID)
	rest, group, ok2 := cutLast(rest)
	namespace, name, ok3 := strings.Cut(rest, "_")
	return schema.GroupVersionKind{Group: group, Version: e.Version, Kind: kind},
		client.ObjectKey{Namespace: namespace, Name: strings.ReplaceAll(name, "__", ":")},
		ok1 && ok2 && ok3 && kind != "" && name != ""
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '_')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// kept reports whether Helm leaves an object behind on purpose.
func kept(o client.Object) bool { return o.GetAnnotations()["helm.sh/resource-policy"] == "keep" }

// leftovers finds the objects of the chart that are still there: the entries of the inventory among them, and the names of the first ten.
// Objects that Helm keeps, that another release or person has made in the meantime, and that the operator may not read do not count.
func (g *gatherer) leftovers(ctx context.Context, o *api.ApplicationInstance) (left []api.InventoryEntry, names []string, err error) {
	for _, e := range o.Status.Inventory {
		gvk, key, ok := parse(e)
		if !ok {
			continue
		}
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(gvk)
		switch err := g.Manager.GetAPIReader().Get(ctx, key, object); {
		case apierrors.IsNotFound(err), meta.IsNoMatchError(err), apierrors.IsForbidden(err):
			continue
		case err != nil:
			return nil, nil, err
		}
		if kept(object) || object.Annotations["meta.helm.sh/release-name"] != o.Spec.Release.Name ||
			object.Annotations["meta.helm.sh/release-namespace"] != o.Namespace {
			continue
		}
		left = append(left, e)
		names = append(names, gvk.Kind+" "+key.Name)
	}
	kinds := dependents
	if len(o.Status.Inventory) == 0 {
		kinds = append(kinds[:len(kinds):len(kinds)], usual...)
	}
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	for _, gvk := range kinds {
		for _, selector := range belongs(o) {
			list := &metav1.PartialObjectMetadataList{}
			list.SetGroupVersionKind(gvk)
			if err := g.Manager.GetAPIReader().List(ctx, list, client.InNamespace(o.Namespace), selector); err != nil {
				return nil, nil, err
			}
			for i := range list.Items {
				item := &list.Items[i]
				name := gvk.Kind + " " + item.Name
				if kept(item) || gvk == claims && item.DeletionTimestamp.IsZero() || seen[name] {
					continue
				}
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	if more := len(names) - 10; more > 0 {
		names = append(names[:10:10], fmt.Sprintf("%d more", more))
	}
	return left, names, nil
}

// leaving finds out how far the uninstall is.
func (g *gatherer) leaving(ctx context.Context, o *api.ApplicationInstance, f *Facts) error {
	hr, err := g.release(ctx, o)
	if err != nil {
		return err
	}
	if f.ReleaseLeft = hr != nil; f.ReleaseLeft {
		if f.Inventory = inventory(hr); len(f.Inventory) == 0 {
			f.Inventory = o.Status.Inventory
		}
		return nil
	}
	f.Release = Release{}
	f.Inventory, f.Children, err = g.leftovers(ctx, o)
	return err
}

// gone deletes the HelmRelease, whose controller then removes the objects of the chart, and reports whether nothing is left of the
// instance.
func (g *gatherer) gone(ctx context.Context, o *api.ApplicationInstance) (bool, error) {
	hr, err := g.release(ctx, o)
	if err != nil {
		return false, err
	}
	if hr != nil {
		if hr.Spec.Suspend { // whoever has suspended it: such a HelmRelease goes without an uninstall
			return false, g.pause(ctx, o, &Release{}, false)
		}
		if hr.DeletionTimestamp.IsZero() {
			uid := hr.UID
			object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: hr.Namespace, Name: hr.Name}}
			object.SetGroupVersionKind(kit.GVK("helm.toolkit.fluxcd.io", "HelmRelease"))
			err = client.IgnoreNotFound(g.Manager.GetClient().Delete(ctx, object, client.Preconditions{UID: &uid}))
		}
		return false, err
	}
	_, names, err := g.leftovers(ctx, o)
	if err != nil || len(names) > 0 {
		return false, err
	}
	return g.Agent.Stored(string(o.UID), o.Status.Transitions), nil
}
