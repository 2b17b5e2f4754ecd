// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// BenchmarkUnchanged is the end of a pass of an operator that changes nothing: ten conditions with a top level, and five other status
// fields.
func BenchmarkUnchanged(b *testing.B) {
	type facts struct {
		Phase    string       `json:"phase,omitempty"`
		Address  string       `json:"address,omitempty"`
		Replicas int32        `json:"replicas"`
		Since    *metav1.Time `json:"since,omitempty"`
		Digest   string       `json:"digest,omitempty"`
	}
	type status struct {
		facts              `json:",inline"`
		ObservedGeneration int64              `json:"observedGeneration,omitempty"`
		Conditions         []metav1.Condition `json:"conditions,omitempty"`
	}
	type device struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Status            status `json:"status,omitempty"`
	}
	k := &conditions.Kind{Kind: "Thing", StatusGeneration: true}
	for i := range 10 {
		k.Types = append(k.Types, conditions.Type{Name: fmt.Sprintf("Condition%dReady", i), Role: conditions.RoleDependent,
			Reasons: []conditions.Reason{
				{Name: "Broken", Status: conditions.False}, {Name: "Working", Status: conditions.True}}})
	}
	k.Types = append(k.Types, conditions.Type{Name: "Ready", Role: conditions.RoleSummary, Imported: true, Summary: &conditions.Summary{}})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	since := metav1.NewTime(now)
	o := &device{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "d", UID: "1", Generation: 3, ResourceVersion: "7"}}
	o.Status.facts, o.Status.ObservedGeneration = facts{"Running", "10.1.2.3", 3, &since, "sha256:0d5e"}, 3
	pass := func() conditions.Result {
		p := k.BeginMeta(o.Generation, o.Status.Conditions, now)
		for i := range 10 {
			p.Report(k.Types[i].Name, conditions.True, "Working", "")
		}
		return p.Commit()
	}
	o.Status.Conditions = wire.ToMeta(pass().Conditions())
	s := &Status{Target: Target{Resource: schema.GroupVersionResource{Group: "example.dev", Version: "v1", Resource: "things"}, Kind: "Thing",
		Namespaced: true, ListMap: true,
		Path: ParsePath("status.conditions"), Own: k}}
	again := metav1.NewTime(now.Local())
	b.Run("apimachinery", func(b *testing.B) { // ten bare sets, for a comparison in the same run
		list := slices.Clone(o.Status.Conditions)
		for b.Loop() {
			for i := range 10 {
				if meta.SetStatusCondition(&list, metav1.Condition{Type: k.Types[i].Name, Status: metav1.ConditionTrue, Reason: "Working",
					ObservedGeneration: 3}) {
					b.Fatal("changed")
				}
			}
		}
	})
	b.Run("pass", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if pass().Changed {
				b.Fatal("changed")
			}
		}
	})
	b.Run("status", func(b *testing.B) {
		b.ReportAllocs()
		result := pass()
		for b.Loop() {
			if err := s.ApplyStatus(b.Context(), o, result, &facts{"Running", "10.1.2.3", 3, &again, "sha256:0d5e"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("both", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.ApplyStatus(b.Context(), o, pass(), &facts{"Running", "10.1.2.3", 3, &again, "sha256:0d5e"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
