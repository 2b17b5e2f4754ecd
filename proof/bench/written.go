// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"

	"github.com/fluxcd/pkg/runtime/conditions"
	fluxpatch "github.com/fluxcd/pkg/runtime/patch"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/proof/bench/thing"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	knative "knative.dev/pkg/apis"
	capi2 "sigs.k8s.io/cluster-api/util/conditions"
	capipatch "sigs.k8s.io/cluster-api/util/patch"
)

// writtenPass is a pass from an object of the cache to its write, as the reconcilers of each library have it: ten conditions and the top
// level, five other status fields, and whatever finds out that nothing has to be written. None of them may send a request: the clients
// panic.
func writtenPass() Scenario {
	return Scenario{Name: "unchanged pass with five status fields, up to the write", Runs: []Run{
		{"tristate, typed status", func() func() error {
			status, o := prepared()
			return func() error {
				p := thing.Begin(o, moment)
				allWork(p)
				return status.ApplyStatus(context.Background(), o, p.Commit(), &deviceStatus{facts: known(), ObservedGeneration: o.Generation})
			}
		}},
		{"tristate, map of fields", func() func() error {
			status, o := prepared()
			return func() error {
				p := thing.Begin(o, moment)
				allWork(p)
				f := known()
				return status.ApplyWith(context.Background(), o, p.Commit(), apply.Fields{"phase": f.Phase, "address": f.Address,
					"replicas": f.Replicas,
					"since":    f.Since, "digest": f.Digest, "observedGeneration": o.Generation})
			}
		}},
		{"Cluster API v1beta2, patch helper", func() func() error {
			o, begun := newDevice(), false
			return func() error {
				helper, err := capipatch.NewHelper(o, offline{})
				if err != nil {
					return err
				}
				for i := range parts {
					status, reason, message := fact(i, 0, 0)
					capi2.Set(o, metav1.Condition{Type: typeNames[i], Status: status, Reason: reason, Message: message})
				}
				if err := capi2.SetSummaryCondition(o, o, "Ready", capi2.ForConditionTypes(typeNames[:parts])); err != nil {
					return err
				}
				o.Status.facts, o.Status.ObservedGeneration = known(), o.Generation
				if !begun {
					begun = true
					return o.stored()
				}
				return helper.Patch(context.Background(), o, capipatch.WithOwnedConditions{Conditions: append(typeNames[:parts:parts], "Ready")})
			}
		}},
		{"Flux, patch helper", func() func() error {
			o, begun := newDevice(), false
			return func() error {
				patcher := fluxpatch.NewSerialPatcher(o, offline{})
				for i := range parts {
					_, reason, message := fact(i, 0, 0)
					conditions.MarkTrue(o, typeNames[i], reason, "%s", message)
				}
				conditions.SetSummary(o, "Ready", conditions.WithConditions(typeNames[:parts]...))
				o.Status.facts = known()
				if !begun {
					begun = true
					return o.stored()
				}
				return patcher.Patch(context.Background(), o, fluxpatch.WithOwnedConditions{Conditions: append(typeNames[:parts:parts], "Ready")},
					fluxpatch.WithStatusObservedGeneration{})
			}
		}},
		{"Knative, generated reconciler", func() func() error {
			var types []knative.ConditionType
			for i := range parts {
				types = append(types, knative.ConditionType(typeNames[i]))
			}
			set := knative.NewLivingConditionSet(types...)
			original := &knativeDevice{}
			original.ObjectMeta, original.Spec = newMeta()
			begun := false
			return func() error {
				o := original.copied()
				m := set.Manage(&o.Status)
				m.InitializeConditions()
				for i := range parts {
					_, reason, message := fact(i, 0, 0)
					m.MarkTrueWithReason(types[i], reason, "%s", message)
				}
				o.Status.facts, o.Status.ObservedGeneration = known(), o.Generation
				if !begun {
					original, begun = o, true
					return nil
				}
				if !equality.Semantic.DeepEqual(original.Status.facts, o.Status.facts) || !equality.Semantic.DeepEqual(original.Status.list,
					o.Status.list) {
					return errChanged
				}
				return nil
			}
		}},
		{"operatorpkg, as Karpenter has it", func() func() error {
			o := &operatorpkgDevice{}
			o.ObjectMeta, o.Spec = newMeta()
			begun := false
			return func() error {
				stored := o.DeepCopyObject().(*operatorpkgDevice)
				set := o.StatusConditions()
				for i := range parts {
					_, reason, message := fact(i, 0, 0)
					set.SetTrueWithReason(typeNames[i], reason, message)
				}
				o.Status.facts = known()
				if begun && !equality.Semantic.DeepEqual(stored, o) {
					return errChanged
				}
				begun = true
				return nil
			}
		}},
	}}
}

// prepared returns the writer of an operator, without a client, and an object on which a first pass was written.
func prepared() (*apply.Status, *device) {
	o := newDevice()
	p := thing.Begin(o, moment)
	allWork(p)
	o.Status.Conditions = wire.ToMeta(p.Commit().Conditions())
	if err := o.stored(); err != nil {
		panic(err) // a mistake in the type
	}
	return &apply.Status{Writer: &apply.Writer{},
		Target: apply.Target{Resource: schema.GroupVersionResource{Group: "example.dev", Version: "v1", Resource: "things"},
			Kind: "Thing", Namespaced: true, ListMap: true, Path: apply.ParsePath(""), Own: thing.Kind}}, o
}
