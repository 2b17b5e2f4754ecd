// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"context"
	"fmt"
	"strings"

	"github.com/awslabs/operatorpkg/status"
	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (p *operatorpkgPolicy) GetConditions() []status.Condition     { return p.Status.Conditions }
func (p *operatorpkgPolicy) SetConditions(list []status.Condition) { p.Status.Conditions = list }
func (p *operatorpkgPolicy) StatusConditions(with ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions(compiled, enforced).For(p, with...)
}

// operatorpkg writes conditions with a ConditionSet of operatorpkg, as Karpenter's controllers do: a merge patch with the version that was read.
type operatorpkg struct{ client.Client }

func (r *operatorpkg) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	p := &operatorpkgPolicy{}
	if err := r.Get(ctx, req.NamespacedName, p); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	f, err := gather(ctx, r, p.Namespace, p.Name, p.Spec.Tools)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := p.DeepCopyObject().(*operatorpkgPolicy)
	set := p.StatusConditions()
	if f.SpecError != nil {
		set.SetFalse(compiled, "SpecInvalid", f.SpecError.Error())
	} else {
		set.SetTrueWithReason(compiled, "ProfileStored", "")
	}
	switch {
	case len(f.Referrers) == 0:
		set.SetUnknownWithReason(enforced, "NoSandboxesReferencing", "no sandbox names this policy")
	case len(f.Outdated) > 0:
		set.SetFalse(enforced, "RouterOutdated", fmt.Sprintf("%d of %d routers are behind", len(f.Outdated), len(f.Referrers)))
	default:
		set.SetTrueWithReason(enforced, "RouterEnforcing", "")
	}
	if len(f.UnknownTools) > 0 {
		set.SetTrueWithReason(degraded, "ToolUnknown", "tools "+strings.Join(f.UnknownTools, ", "))
	} else if err := set.Clear(degraded); err != nil {
		return ctrl.Result{}, err
	}
	p.Status.Sandboxes, p.Status.Profile = len(f.Referrers), profile(f, p.Spec.Tools)
	if equality.Semantic.DeepEqual(before.Status, p.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Patch(ctx, p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
