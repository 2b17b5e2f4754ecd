// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package bench

import (
	"fmt"

	flux "github.com/fluxcd/pkg/runtime/conditions"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	capi2 "sigs.k8s.io/cluster-api/util/conditions"
	capi1 "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
)

// machine is an object with conditions in each of the three shapes.
type machine struct {
	object
	ours []conditions.Condition
}

// fleet makes n objects with some conditions each, of which the last one is Ready; every so many-th object is broken (0:
// none), all of them in the same way or each in its own.
func fleet(n, conditionsEach, every int, distinct bool) []*machine {
	out := make([]*machine, n)
	for i := range out {
		m := &machine{object: object{
			TypeMeta: metav1.TypeMeta{Kind: "Machine"}, ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("machine-%04d", i), Generation: 3},
		}}
		m.v1, m.v2 = listV1(conditionsEach, 0, 0), listV2(conditionsEach, 0, 0)
		last := conditionsEach - 1
		m.v1[last].Type, m.v2[last].Type = "Ready", "Ready"
		if every > 0 && i%every == 0 {
			reason, message := "Broken", "it is broken"
			if distinct {
				message = fmt.Sprintf("failure %d", i)
			}
			m.v1[last].Status, m.v1[last].Severity, m.v1[last].Reason, m.v1[last].Message = corev1.ConditionFalse, "Error", reason, message
			m.v2[last].Status, m.v2[last].Reason, m.v2[last].Message = metav1.ConditionFalse, reason, message
		}
		m.ours = wire.FromMeta(m.v2)
		out[i] = m
	}
	return out
}

// aggregate rolls up Ready of a fleet and sets the result on another object.
func aggregate(name string, n, conditionsEach, every int, distinct bool) Scenario {
	return Scenario{Name: name, Runs: []Run{
		{"tristate, native", ourAggregate(conditions.DialectCore, n, conditionsEach, every, distinct, false)},
		{"tristate, capi-v1beta1", ourAggregate(conditions.DialectCAPIv1beta1, n, conditionsEach, every, distinct, false)},
		{"tristate, native, with causes", ourAggregate(conditions.DialectCore, n, conditionsEach, every, distinct, true)},
		{"Cluster API v1beta1", func() func() error {
			var getters []capi1.Getter
			for _, m := range fleet(n, conditionsEach, every, distinct) {
				getters = append(getters, m)
			}
			target := &object{}
			return func() error {
				capi1.SetAggregate(target, "MachinesReady", getters)
				return nil
			}
		}},
		{"Cluster API v1beta2", func() func() error {
			machines := fleet(n, conditionsEach, every, distinct)
			target := &object{}
			return func() error {
				return capi2.SetAggregateCondition(machines, target, "Ready", capi2.TargetConditionType("MachinesReady"))
			}
		}},
		{"Flux", func() func() error {
			var getters []flux.Getter
			for _, m := range fleet(n, conditionsEach, every, distinct) {
				getters = append(getters, m)
			}
			target := &object{}
			return func() error {
				flux.SetAggregate(target, "MachinesReady", getters, flux.WithConditions("Ready"))
				return nil
			}
		}},
	}}
}

// ourAggregate makes the list of inputs anew each time. The others have no list of all causes.
func ourAggregate(d conditions.Dialect, n, conditionsEach, every int, distinct, causes bool) func() func() error {
	return func() func() error {
		machines := fleet(n, conditionsEach, every, distinct)
		k := &conditions.Kind{Kind: "Thing", Dialect: d, Types: []conditions.Type{{Name: "MachinesReady", Imported: true}}}
		o := rollup.Options{Target: k.Types[0], NoCauses: !causes}
		if d == conditions.DialectCAPIv1beta1 {
			o.Dialect, o.Counter = conditions.DialectCAPIv1beta1, true
		}
		var list []conditions.Condition
		return func() error {
			inputs := make([]rollup.Input, len(machines))
			for i, m := range machines {
				in := &inputs[i]
				in.Type, in.Object.Kind, in.Object.Name = "Ready", m.Kind, m.Name
				if i := conditions.Find(m.ours, "Ready"); i >= 0 {
					in.Condition = &m.ours[i]
				}
			}
			r, ok := rollup.Aggregate(inputs, o)
			p := k.Begin(3, list, moment)
			if ok {
				p.ReportCondition(r.Condition)
			}
			list = p.Commit().Conditions()
			return nil
		}
	}
}
