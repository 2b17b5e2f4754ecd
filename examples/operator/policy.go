// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/examples/toolpolicy"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/enqueue"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Label is the label with which a sandbox names its policy.
const Label = "example.dev/policy"

// Setup returns what adds the kind to an operator. known are the tools that exist.
func Setup(known []string) func(*operator.Host) error {
	return func(h *operator.Host) error {
		return operator.Setup(h, operator.Kind[*toolpolicy.ToolPolicy, toolpolicy.Facts]{
			Resource: toolpolicy.GroupVersion.WithResource("toolpolicies"), Conditions: toolpolicy.Kind,
			Gather: gather(h.Manager.GetClient(), known), Judge: judge, Conclude: conclude,
			Watch: func(b *builder.Builder) *builder.Builder {
				return b.Watches(&corev1.ConfigMap{}, enqueue.Mapped(policyOf))
			},
		})
	}
}

// policyOf returns the policy that a sandbox names.
func policyOf(_ context.Context, sandbox client.Object) []reconcile.Request {
	return enqueue.Named(sandbox.GetNamespace(), sandbox.GetLabels()[Label])
}

// gather reads the facts for Judge. It decides nothing.
func gather(cache client.Reader, known []string) func(context.Context, *toolpolicy.ToolPolicy, time.Time) (toolpolicy.Facts, error) {
	return func(ctx context.Context, policy *toolpolicy.ToolPolicy, _ time.Time) (toolpolicy.Facts, error) {
		var facts toolpolicy.Facts
		if len(policy.Spec.Tools) == 0 {
			facts.SpecError = errors.New("spec.tools is empty")
		}
		for _, tool := range policy.Spec.Tools {
			if !slices.Contains(known, tool) {
				facts.UnknownTools = append(facts.UnknownTools, tool)
			}
		}
		sandboxes := &corev1.ConfigMapList{}
		if err := cache.List(ctx, sandboxes, client.InNamespace(policy.Namespace), client.MatchingLabels{Label: policy.Name}); err != nil {
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
}

// judge reports the facts to a pass.
var judge = operator.JudgeWith[*toolpolicy.ToolPolicy](toolpolicy.Begin, toolpolicy.Judge)

// conclude returns the rest of the status: without a profile, which is then absent, for a spec that cannot be compiled.
func conclude(policy *toolpolicy.ToolPolicy, facts toolpolicy.Facts, _ conditions.Result, _ time.Time) operator.Conclusion {
	status := &toolpolicy.Status{Sandboxes: len(facts.Referrers)}
	if facts.SpecError == nil {
		status.Profile = hash(policy.Spec.Tools)
	}
	return operator.Conclusion{Status: status}
}

// hash returns a hash of the tools, in place of a compiled profile.
func hash(tools []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(tools, "\n"))))[:12]
}
