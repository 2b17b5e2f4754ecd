// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	upstream "sigs.k8s.io/cluster-api/util/conditions"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// row reads "Type Status message": a condition with a reason, and a time that is later in each row.
func row(s string, minute int) metav1.Condition {
	conditionType, rest, _ := strings.Cut(s, " ")
	status, message, _ := strings.Cut(rest, " ")
	return metav1.Condition{
		Type: conditionType, Status: metav1.ConditionStatus(status), Reason: "Reason", Message: message,
		LastTransitionTime: metav1.Time{Time: instants[0].AddDate(0, 0, minute)},
	}
}

func TestSummaryTable(t *testing.T) {
	tests := map[string]struct {
		stored                []string
		of, negative, ignored string
	}{
		"all healthy":                          {stored: []string{"A True", "B True fine"}, of: "A B"},
		"an issue hides what healthy ones say": {stored: []string{"A True fine", "B False bad"}, of: "A B"},
		"an issue without words":               {stored: []string{"A False"}, of: "A"},
		"unknown after an issue":               {stored: []string{"A Unknown slow", "B False bad"}, of: "A B"},
		"missing":                              {stored: []string{"A True"}, of: "A B C", ignored: "C"},
		"negative types":                       {stored: []string{"A False", "B True bad"}, of: "A B", negative: "A B"},
		"healthy negative type with words":     {stored: []string{"A False fine"}, of: "A", negative: "A"},
		"list":                                 {stored: []string{"A False * one\n* two"}, of: "A"},
		"list with a head":                     {stored: []string{"A False head\n* one\n  * two"}, of: "A"},
		"asterisk in a sentence":               {stored: []string{"A False 3 * 4 is 12"}, of: "A"},
		"empty last line":                      {stored: []string{"A False one\n"}, of: "A"},
		"order of the list, not of time":       {stored: []string{"B False one", "A False two"}, of: "A B"},
		"a type twice":                         {stored: []string{"A False one", "A Unknown two", "A True three"}, of: "A"},
		"an odd status":                        {stored: []string{"A Maybe one"}, of: "A"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			obj := &objectV2{}
			for i, s := range tt.stored {
				obj.list = append(obj.list, row(s, i))
			}
			of, negative, ignored := strings.Fields(tt.of), strings.Fields(tt.negative), strings.Fields(tt.ignored)
			want, err := upstream.NewSummaryCondition(obj, "Ready", upstream.ForConditionTypes(of),
				upstream.NegativePolarityConditionTypes(negative), upstream.IgnoreTypesIfMissing(ignored))
			o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Exact: true, Target: conditions.Type{Name: "Ready"}}
			got, ok := rollup.Summarize(inputsV2(obj.list, nil, of, negative, ignored), o)
			if diff := cmp.Diff(madeByTheirs(want, err), madeByOurs(got, ok)); diff != "" {
				t.Errorf("upstream (-) and ours (+) differ:\n%s", diff)
			}
		})
	}
}

func TestAggregateTable(t *testing.T) {
	tests := map[string]struct {
		objects  []string // "Kind/name Type Status message"; a name that begins with "cp" is of the control plane
		negative bool
	}{
		"all healthy":        {objects: []string{"Machine/a Ready True", "Machine/b Ready True"}},
		"healthy with words": {objects: []string{"Machine/a Ready True fine", "Machine/b Ready True fine", "Machine/c Ready True"}},
		"one without words":  {objects: []string{"Machine/a Ready False"}},
		"missing":            {objects: []string{"Machine/a Other True", "Machine/b Ready True"}},
		"more than three names": {objects: []string{"Machine/d Ready False x", "Machine/c Ready False x", "Machine/b Ready False x",
			"Machine/a Ready False x"}},
		"control plane first":     {objects: []string{"Machine/a Ready False x", "Machine/b Ready False x", "Machine/cp Ready False y"}},
		"control plane is a kind": {objects: []string{"Proxy/a Ready False x", "Proxy/b Ready False x", "Proxy/cp Ready False y"}},
		"more than three texts": {objects: []string{
			"Machine/a Ready False v", "Machine/b Ready False w", "Machine/c Ready False x", "Machine/d Ready False y", "Machine/e Ready Unknown z",
		}},
		"texts are shared by the kinds": {objects: []string{
			"Policy/a Ready False v", "Policy/b Ready False w", "Machine/c Ready False x", "Machine/d Ready False y", "Proxy/e Ready Unknown z",
			"Proxy/f Ready Unknown z",
		}},
		"a text of two kinds (P02)": {objects: []string{
			"Machine/a Ready False u", "Machine/b Ready False v", "Machine/c Ready False w", "Policy/d Ready False x", "Machine/e Ready Unknown x",
		}},
		"healthy ones beyond three texts": {objects: []string{
			"Machine/a Ready True v", "Machine/b Ready True w", "Machine/c Ready True x", "Machine/d Ready True y", "Machine/e Ready True y",
		}},
		"negative": {objects: []string{"Machine/a Ready True bad", "Machine/b Ready False fine"}, negative: true},
		"lists":    {objects: []string{"Machine/a Ready False * one\n* two", "Machine/b Ready False head\n* three"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []*objectV2
			var inputs []rollup.Input
			o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Exact: true, Target: conditions.Type{Name: "Ready"}}
			var options []upstream.AggregateOption
			if tt.negative {
				o.Target.Polarity = conditions.Negative
				options = append(options, upstream.NegativePolarityConditionTypes{"Ready"})
			}
			for i, s := range tt.objects {
				ref, s, _ := strings.Cut(s, " ")
				kind, name, _ := strings.Cut(ref, "/")
				c := row(s, i)
				obj := &objectV2{TypeMeta: metav1.TypeMeta{Kind: kind}, ObjectMeta: metav1.ObjectMeta{Name: name}, list: []metav1.Condition{c}}
				in := rollup.Input{Type: "Ready", Object: conditions.ObjectRef{Kind: kind, Name: name}, Polarity: o.Target.Polarity}
				if c.Type == "Ready" {
					in.Condition = oursV2(c)
				}
				if strings.HasPrefix(name, "cp") {
					obj.Labels = map[string]string{clusterv1.MachineControlPlaneLabel: ""}
					in.First = kind == "Machine"
				}
				objects, inputs = append(objects, obj), append(inputs, in)
			}
			want, err := upstream.NewAggregateCondition(objects, "Ready", options...)
			got, ok := rollup.Aggregate(inputs, o)
			if diff := cmp.Diff(madeByTheirs(want, err), madeByOurs(got, ok)); diff != "" {
				t.Errorf("upstream (-) and ours (+) differ:\n%s", diff)
			}
		})
	}
}
