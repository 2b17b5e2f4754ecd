// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"strings"
	"testing"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/world"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hold keeps an object of the chart from going.
const hold = "example.dev/hold"

// inventory: an uninstall waits for the objects that the inventory of the HelmRelease named, of whatever kind, and for nothing else.
func inventory(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	o := instance(ns, "shop")
	w.released(t, o)
	entry := func(namespace, name, group, kind, version string) helmv2.ResourceRef {
		return helmv2.ResourceRef{ID: fmt.Sprintf("%s_%s_%s_%s", namespace, name, group, kind), Version: version}
	}
	of := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: []string{hold},
			Annotations: map[string]string{"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": ns}}
	}
	backend := networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web",
		Port: networkingv1.ServiceBackendPort{Number: 80}}}}
	ingress := &networkingv1.Ingress{ObjectMeta: of(ns, "web"), Spec: backend}
	role := &rbacv1.ClusterRole{ObjectMeta: of("", ns+":reader")}
	gone := &corev1.Service{ObjectMeta: of(ns, "gone"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	gone.Finalizers = nil
	kept := &corev1.ConfigMap{ObjectMeta: of(ns, "kept")}
	kept.Annotations["helm.sh/resource-policy"] = "keep"
	taken := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "taken"}}
	unreadable := &coordinationv1.Lease{ObjectMeta: of(ns, "leader")} // a kind that the operator may not read outside of its namespace
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web-1",
		Labels: map[string]string{"app.kubernetes.io/instance": "shop"}, Finalizers: []string{hold}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}}}
	for _, child := range []client.Object{ingress, role, gone, kept, taken, unreadable, pod} {
		w.Create(t, child)
	}
	var absent []helmv2.ResourceRef // objects that Helm has removed already, of every kind that the operator may read
	for group, kinds := range map[string][]string{"": {"ServiceAccount", "PersistentVolumeClaim"},
		"apps": {"Deployment", "StatefulSet", "DaemonSet"}, "autoscaling": {"HorizontalPodAutoscaler"},
		"batch": {"CronJob"}, "cert-manager.io": {"Certificate"}, "external-secrets.io": {"ExternalSecret"},
		"networking.k8s.io": {"NetworkPolicy"}, "policy": {"PodDisruptionBudget"},
		"rbac.authorization.k8s.io": {"Role", "RoleBinding", "ClusterRoleBinding"}} {
		version := "v1"
		if group == "autoscaling" {
			version = "v2"
		}
		for _, kind := range kinds {
			namespace := ns
			if strings.HasPrefix(kind, "Cluster") {
				namespace = ""
			}
			absent = append(absent, entry(namespace, "absent", group, kind, version))
		}
	}
	hr := &helmv2.HelmRelease{}
	w.flux(t, client.ObjectKey{Namespace: ns, Name: "shop"}, hr, "HelmRelease", helmv2.GroupVersion.String(), func() {
		hr.Finalizers = []string{helmv2.HelmReleaseFinalizer}
		// helm-controller v1.6.5, api/v2/inventory_types.go: ResourceRef
		hr.Status.Inventory = &helmv2.ResourceInventory{Entries: append(absent,
			[]helmv2.ResourceRef{entry(ns, "web", "networking.k8s.io", "Ingress", "v1"),
				entry("", ns+"__reader", "rbac.authorization.k8s.io", "ClusterRole", "v1"), entry(ns, "gone", "", "Service", "v1"),
				entry(ns, "kept", "", "ConfigMap", "v1"),
				entry(ns, "taken", "", "ConfigMap", "v1"), entry(ns, "leader", "coordination.k8s.io", "Lease", "v1"),
				entry(ns, "main", "databases.example.com", "Database", "v1"),
				{ID: "nonsense", Version: "v1"}}...)}
	})
	finalize := func(finalizers ...string) {
		world.Eventually(t, func() error {
			u := object(helmv2.GroupVersion.String(), "HelmRelease", ns, "shop")
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				return client.IgnoreNotFound(err)
			}
			u.SetFinalizers(finalizers)
			return w.API.Update(t.Context(), u)
		})
	}
	finalize(helmv2.HelmReleaseFinalizer)
	w.Remove(t, o)
	w.Seen.Reach(t, o, "Deleting=True Uninstalling")
	for _, child := range []client.Object{ingress, role, gone, unreadable, pod} { // the objects that Helm removes
		w.Remove(t, child)
	}
	finalize()
	waits := func(message string, ids ...string) {
		t.Helper()
		world.Eventually(t, func() error {
			c := w.Condition(t, o, "Deleting")
			var have []string
			for _, e := range o.Status.Inventory {
				have = append(have, e.ID)
			}
			if c == nil || c.Reason != "WaitingForChildResources" || c.Message != message || !cmp.Equal(ids, have) {
				return fmt.Errorf("it waits for %+v, inventory %v; want %q, %v", c, have, message, ids)
			}
			return nil
		})
	}
	w.Seen.Reach(t, o, "Deleting=True WaitingForChildResources")
	waits(fmt.Sprintf("Ingress web, ClusterRole %s:reader, Pod web-1", ns), ns+"_web_networking.k8s.io_Ingress", "_"+ns+
		"__reader_rbac.authorization.k8s.io_ClusterRole")
	free(t, w, role)
	waits("Ingress web, Pod web-1", ns+"_web_networking.k8s.io_Ingress")
	free(t, w, ingress)
	free(t, w, pod)
	w.Gone(t, o)
	for _, child := range []client.Object{kept, taken} {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(child), child); err != nil {
			t.Errorf("%s is gone: %v", child.GetName(), err)
		}
	}
	for _, child := range []client.Object{kept, unreadable} {
		free(t, w, child)
	}
}

// free lets an object go.
func free(t *testing.T, w *vworkspace, o client.Object) {
	t.Helper()
	world.Edit(t, w.World, o, func(o client.Object) { o.SetFinalizers(nil) })
}
