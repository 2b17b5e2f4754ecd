// SPDX-License-Identifier: Apache-2.0

package compared

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// plain writes conditions with meta.SetStatusCondition.
type plain struct{ client.Client }

func (r *plain) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	p := &Policy{}
	if err := r.Get(ctx, req.NamespacedName, p); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	f, err := gather(ctx, r, p.Namespace, p.Name, p.Spec.Tools)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := p.DeepCopyObject().(*Policy)
	set := func(t string, status metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&p.Status.Conditions, metav1.Condition{Type: t, Status: status, Reason: reason, Message: message, ObservedGeneration: p.Generation})
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
		set(degraded, metav1.ConditionTrue, "ToolUnknown", fmt.Sprintf("tools %s", strings.Join(f.UnknownTools, ", ")))
	} else {
		meta.RemoveStatusCondition(&p.Status.Conditions, degraded)
	}
	bad := []*metav1.Condition{}
	for _, status := range []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionUnknown} { // what is wrong comes before what is not known
		for _, t := range []string{compiled, enforced} {
			if c := meta.FindStatusCondition(p.Status.Conditions, t); c.Status == status {
				bad = append(bad, c)
			}
		}
	}
	switch {
	case len(bad) == 0:
		set(ready, metav1.ConditionTrue, "InForce", "")
	case len(bad) == 1 || bad[0].Status != bad[1].Status:
		set(ready, bad[0].Status, bad[0].Reason, bad[0].Type+": "+bad[0].Message)
	default:
		set(ready, bad[0].Status, "NotReady", bad[0].Type+": "+bad[0].Message+"; "+bad[1].Type+": "+bad[1].Message)
	}
	p.Status.Sandboxes, p.Status.Profile = len(f.Referrers), profile(f, p.Spec.Tools)
	if equality.Semantic.DeepEqual(before.Status, p.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, p)
}
