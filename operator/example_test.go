// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/examples/toolpolicy"
	"github.com/tristate/tristate/operator"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
)

// A kind is four functions. Those that decide are pure, so they run without a cluster.
func ExampleKind() {
	type Policy = toolpolicy.ToolPolicy
	type Facts = toolpolicy.Facts
	kind := func(h *operator.Host) operator.Kind[*Policy, Facts] {
		return operator.Kind[*Policy, Facts]{
			Resource: toolpolicy.GroupVersion.WithResource("toolpolicies"), Conditions: toolpolicy.Kind,
			Gather: func(_ context.Context, _ *Policy, _ time.Time) (Facts, error) {
				return Facts{Referrers: []string{"bench"}}, nil
			},
			Act: func(ctx context.Context, o *Policy, _ *Facts) error {
				return h.Children.Ensure(ctx, o, h.Children.ConfigMap(o, o.Name, map[string]string{"tools": fmt.Sprint(o.Spec.Tools)}, nil))
			},
			Refused: func(f *Facts, err error) { f.WriteError = err },
			Judge: func(o *Policy, f Facts, now time.Time) operator.Pass {
				p := toolpolicy.Begin(o, now)
				toolpolicy.Judge(p, f)
				return p
			},
			Conclude: func(_ *Policy, f Facts, _ conditions.Result, _ time.Time) operator.Conclusion {
				return operator.Conclusion{Status: &toolpolicy.Status{Sandboxes: len(f.Referrers)}}
			},
			Watch: func(b *builder.Builder) *builder.Builder { return b.Owns(&corev1.ConfigMap{}) },
		}
	}
	// In an operator: operator.Main(options, toolpolicy.AddToScheme, func(h *operator.Host) error { return operator.Setup(h, kind(h)) })

	policy, now := &Policy{ObjectMeta: metav1.ObjectMeta{Name: "carpentry", Generation: 1}}, time.Unix(1e9, 0)
	k := kind(nil)
	facts, err := k.Gather(context.Background(), policy, now)
	if err != nil {
		fmt.Println(err)
	}
	result := k.Judge(policy, facts, now).Commit()
	for _, c := range result.Conditions() {
		fmt.Println(c.Type, c.Status, c.Reason)
	}
	fmt.Printf("%+v\n", k.Conclude(policy, facts, result, now).Status.(*toolpolicy.Status).Sandboxes)
	// Output:
	// Ready True InForce
	// Compiled True ProfileStored
	// Enforced True RouterEnforcing
	// 1
}
