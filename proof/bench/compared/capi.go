// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/patch"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// capi writes conditions as a controller of Cluster API does.
type capi struct{ client.Client }

func (r *capi) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	p := &Policy{}
	if err := r.Get(ctx, req.NamespacedName, p); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	helper, err := patch.NewHelper(p, r.Client)
	if err != nil {
		return ctrl.Result{}, err
	}
	defer func() {
		owned := patch.WithOwnedConditions{Conditions: []string{ready, compiled, enforced, degraded}}
		reterr = errors.Join(reterr, helper.Patch(ctx, p, owned))
	}()
	f, err := gather(ctx, r, p.Namespace, p.Name, p.Spec.Tools)
	if err != nil {
		return ctrl.Result{}, err
	}
	set := func(t string, status metav1.ConditionStatus, reason, message string) {
		conditions.Set(p, metav1.Condition{Type: t, Status: status, Reason: reason, Message: message})
	}
	if f.SpecError != nil {
		set(compiled, metav1.ConditionFalse, "SpecInvalid", f.SpecError.Error())
	} else {
		set(compiled, metav1.ConditionTrue, "ProfileStored", "")
	}
	switch {
	case len(f.Referrers) == 0:
		set(enforced, metav1.ConditionUnknown, "NoSandboxesReferencing", "no sandbox names this policy")
	case len(f.Outdated) > 0:
		set(enforced, metav1.ConditionFalse, "RouterOutdated", fmt.Sprintf("%d of %d routers are behind", len(f.Outdated), len(f.Referrers)))
	default:
		set(enforced, metav1.ConditionTrue, "RouterEnforcing", "")
	}
	if len(f.UnknownTools) > 0 {
		set(degraded, metav1.ConditionTrue, "ToolUnknown", "tools "+strings.Join(f.UnknownTools, ", "))
	} else {
		conditions.Delete(p, degraded)
	}
	p.Status.Sandboxes, p.Status.Profile = len(f.Referrers), profile(f, p.Spec.Tools)
	return ctrl.Result{}, conditions.SetSummaryCondition(p, p, ready, conditions.ForConditionTypes{compiled, enforced})
}
