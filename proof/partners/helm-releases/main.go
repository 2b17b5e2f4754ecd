// SPDX-License-Identifier: Apache-2.0

// Command helm-releases installs, upgrades and uninstalls HelmReleases of charts in OCI repositories, for tests. Helm itself does the work:
// its engine, storage and waits are those of helm.sh/helm. helm-controller, whose module the proxy does not serve, puts the same engine
// behind the same kind; the conditions and fields that are written here are those that its API module documents. Its other features are
// left out: HelmRepositories, tests, remediation, and the detection of drift. It connects with the file of KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"os"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the controller until ctx ends.
func run(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, helmv2.AddToScheme, sourcev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	m, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: server.Options{BindAddress: "0"},
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}}}}})
	if err != nil {
		return err
	}
	r := &releases{Client: m.GetClient(), mapper: m.GetRESTMapper()}
	err = ctrl.NewControllerManagedBy(m).For(&helmv2.HelmRelease{}).WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Watches(&sourcev1.OCIRepository{}, handler.EnqueueRequestsFromMapFunc(r.of)).Complete(r)
	if err != nil {
		return err
	}
	return m.Start(ctx)
}

// of returns the HelmReleases whose chart a source has.
func (r *releases) of(ctx context.Context, source client.Object) (out []reconcile.Request) {
	var list helmv2.HelmReleaseList
	if err := r.List(ctx, &list, client.InNamespace(source.GetNamespace())); err != nil {
		return nil
	}
	for i := range list.Items {
		if ref := list.Items[i].Spec.ChartRef; ref != nil && ref.Name == source.GetName() {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return out
}
