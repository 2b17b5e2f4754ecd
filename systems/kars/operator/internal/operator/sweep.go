// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"time"

	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// sweeping is how often the records of the operator's namespace are compared with the objects that they are about.
const sweeping = time.Minute

// sweep wakes objects that do not exist any more and have a record in the operator's namespace. Their finalizer was removed by hand, or
// they went while no operator ran. Their kind then removes everything that is left of them.
func sweep(e *kit.Env) manager.Runnable {
	return manager.RunnableFunc(func(ctx context.Context) error {
		ticks := time.NewTicker(sweeping)
		defer ticks.Stop()
		for {
			if err := strays(ctx, e); err != nil {
				log.FromContext(ctx).Error(err, "look for what is left of objects that do not exist")
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
		}
	})
}

func strays(ctx context.Context, e *kit.Env) error {
	var records corev1.ConfigMapList
	if err := e.Children.Client.List(ctx, &records, client.InNamespace(e.Namespace),
		client.MatchingLabels{child.LabelManaged: kit.Manager}); err != nil {
		return err
	}
	for i := range records.Items {
		kind, name, ok := e.Children.Names(&records.Items[i])
		gvk := api.GroupVersion.WithKind(kind)
		if !ok || !e.Manager.GetScheme().Recognizes(gvk) {
			continue
		}
		object, err := e.Manager.GetScheme().New(gvk)
		if err != nil {
			return err
		}
		if err := e.Children.Client.Get(ctx, name, object.(client.Object)); apierrors.IsNotFound(err) {
			e.WakeObject(kind, name)
		} else if err != nil {
			return err
		}
	}
	return nil
}
