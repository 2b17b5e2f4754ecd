// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated functions are the ones to compare with

package oracle

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	upstream "sigs.k8s.io/cluster-api/util/conditions/deprecated/v1beta1"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/proof/oracle/setters"
)

// stamped is a list with its times by name, see stamp; Refused says that there was a conflict, after which lists differ:
// upstream stops at the first one.
type stamped struct {
	List    []conditions.Condition
	Times   []string
	Refused bool
}

func stampedList(list []conditions.Condition, refused bool) stamped {
	if refused {
		return stamped{Refused: true}
	}
	out := stamped{List: slices.Clone(list)}
	for i := range out.List {
		c := &out.List[i]
		out.Times = append(out.Times, stamp(c.LastTransitionTime.Time))
		c.LastTransitionTime = metav1.Time{}
	}
	if len(out.List) == 0 {
		out.List = nil
	}
	return out
}

func listOfV1(list clusterv1.Conditions) []conditions.Condition {
	var out []conditions.Condition
	for i := range list {
		out = append(out, *oursV1(&list[i]))
	}
	return out
}

// edit returns a list of which another writer has changed some entries, dropped some and added some.
func edit[T any](s *Source, list []T, name func(T) string, fresh func(t string) T, touch func(*T)) []T {
	var out []T
	for _, c := range list {
		switch s.N(6) {
		case 1:
			continue
		case 2:
			c = fresh(name(c))
		case 3:
			touch(&c)
		}
		out = append(out, c)
	}
	for range s.N(3) {
		t := Pick(s, typesV1...)
		if !slices.ContainsFunc(out, func(c T) bool { return name(c) == t }) {
			out = append(out, fresh(t))
		}
	}
	return out
}

// patchV1 repeats what led from one list to another on a third.
func patchV1(s *Source, mutate func(*rollup.Options)) Comparison {
	name := func(c clusterv1.Condition) string { return string(c.Type) }
	fresh := func(t string) clusterv1.Condition { return conditionV1(s, t) }
	touch := func(c *clusterv1.Condition) { c.LastTransitionTime = metav1.Time{Time: Pick(s, instants...)} }
	before := listV1(s, 4)
	after := clusterv1.Conditions(edit(s, before, name, fresh, touch))
	latest := clusterv1.Conditions(edit(s, Pick(s, before, after), name, fresh, touch))
	o := setters.PatchOptions{Now: time.Now()}
	if s.N(2) == 1 {
		o.Owned = types(s, 8)
	}
	o.Force = s.N(6) == 1
	theirs := &objectV1{list: slices.Clone(latest)}
	p, err := upstream.NewPatch(&objectV1{list: before}, &objectV1{list: after})
	if err == nil {
		err = p.Apply(theirs, upstream.WithOwnedConditions(typed(o.Owned)...), upstream.WithForceOverwrite(o.Force))
	}
	if mutate != nil { // another type is owned
		m := rollup.Options{}
		mutate(&m)
		o.Owned = append(o.Owned, m.Target.Name)
	}
	ours, conflict := setters.Diff(listOfV1(before), listOfV1(after)).Apply(listOfV1(latest), o)
	return Comparison{
		Case: func() string {
			return fmt.Sprintf("before %+v after %+v latest %+v options %+v: %v, %v", before, after, latest, o, conflict, err)
		},
		Ours: stampedList(ours, conflict != nil), Theirs: stampedList(listOfV1(theirs.list), err != nil),
	}
}
