// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/examples/toolpolicy"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Label names the policy of a sandbox, which is a ConfigMap.
const Label = "example.dev/policy"

// known are the tools that exist.
var known = []string{"saw", "drill"}

// condition types of the four other operators; Tristate's are generated.
const (
	ready    = "Ready"
	compiled = "Compiled"
	enforced = "Enforced"
	degraded = "Degraded"
)

// gather reads the facts, as the operator of examples/operator does.
func gather(ctx context.Context, cache client.Reader, namespace, name string, tools []string) (toolpolicy.Facts, error) {
	var f toolpolicy.Facts
	if len(tools) == 0 {
		f.SpecError = errors.New("spec.tools is empty")
	}
	for _, tool := range tools {
		if !slices.Contains(known, tool) {
			f.UnknownTools = append(f.UnknownTools, tool)
		}
	}
	sandboxes := &corev1.ConfigMapList{}
	if err := cache.List(ctx, sandboxes, client.InNamespace(namespace), client.MatchingLabels{Label: name}); err != nil {
		return f, fmt.Errorf("list the sandboxes of %s: %w", name, err)
	}
	for _, s := range sandboxes.Items {
		f.Referrers = append(f.Referrers, s.Name)
		if s.Data["profile"] != hash(tools) {
			f.Outdated = append(f.Outdated, s.Name)
		}
	}
	return f, nil
}

func hash(tools []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(tools, "\n"))))[:12]
}

// profile returns the status field.
func profile(f toolpolicy.Facts, tools []string) string {
	if f.SpecError != nil {
		return ""
	}
	return hash(tools)
}

// setup adds a reconciler of a kind to a manager.
func setup[T client.Object](m ctrl.Manager, group string, object T, r reconcile.Reconciler) error {
	skip := true // of names: one process runs several
	return ctrl.NewControllerManagedBy(m).Named(group).For(object).WithOptions(controller.Options{SkipNameValidation: &skip}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
			name := o.GetLabels()[Label]
			if name == "" {
				return nil
			}
			return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: name}}}
		})).Complete(r)
}
