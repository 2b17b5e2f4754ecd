// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/examples/toolpolicy"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// PolicyLabel is the label with which a sandbox names its policy.
const PolicyLabel = "example.dev/policy"

// Reconciler keeps the status of ToolPolicies.
type Reconciler struct {
	Client client.Client
	Status *apply.Status
	Known  []string // the tools that exist
	Now    func() time.Time
}

// Reconcile runs one pass over one policy.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	policy := &toolpolicy.ToolPolicy{}
	if err := r.Client.Get(ctx, request.NamespacedName, policy); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.Status.Forget(request.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	facts, err := r.gather(ctx, policy)
	if err != nil {
		return ctrl.Result{}, err
	}

	now := r.Now()
	pass := toolpolicy.Begin(policy, now)
	toolpolicy.Judge(pass, facts)
	result := pass.Commit()

	err = r.Status.ApplyWith(ctx, policy, result, apply.Fields{
		"profile":   profile(policy, facts),
		"sandboxes": len(facts.Referrers),
	})
	advice := result.Advice(err)
	return ctrl.Result{RequeueAfter: advice.Wait(now)}, advice.Err
}

// gather reads the facts for Judge. It decides nothing.
func (r *Reconciler) gather(ctx context.Context, policy *toolpolicy.ToolPolicy) (toolpolicy.Facts, error) {
	var facts toolpolicy.Facts
	if len(policy.Spec.Tools) == 0 {
		facts.SpecError = errors.New("spec.tools is empty")
	}
	for _, tool := range policy.Spec.Tools {
		if !slices.Contains(r.Known, tool) {
			facts.UnknownTools = append(facts.UnknownTools, tool)
		}
	}
	sandboxes := &corev1.ConfigMapList{}
	if err := r.Client.List(ctx, sandboxes, client.InNamespace(policy.Namespace), client.MatchingLabels{PolicyLabel: policy.Name}); err != nil {
		return facts, fmt.Errorf("list the sandboxes of %s: %w", policy.Name, err)
	}
	for _, sandbox := range sandboxes.Items {
		facts.Referrers = append(facts.Referrers, sandbox.Name)
		if sandbox.Data["profile"] != hash(policy.Spec.Tools) {
			facts.Outdated = append(facts.Outdated, sandbox.Name)
		}
	}
	return facts, nil
}

// profile returns the value of status.profile: nil, which removes the field, for a spec that cannot be compiled.
func profile(policy *toolpolicy.ToolPolicy, facts toolpolicy.Facts) any {
	if facts.SpecError != nil {
		return nil
	}
	return hash(policy.Spec.Tools)
}

// hash returns a hash of the tools, in place of a compiled profile.
func hash(tools []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(tools, "\n"))))[:12]
}
