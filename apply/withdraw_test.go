// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tristate/tristate/apply"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestLiveWithdraw: what this manager wrote goes, whoever began the list; what another manager holds stays, and is whole.
func TestLiveWithdraw(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	client := s.client(t, &tally{})
	own := kind("A", "B")
	object := func(name string, cells ...string) map[string]any {
		list := []any{}
		for _, cell := range cells {
			list = append(list, entry(cell, start, 1))
		}
		return map[string]any{"apiVersion": "example.dev/v1", "kind": "Thing", "metadata": map[string]any{"name": name},
			"status": map[string]any{"conditions": list}}
	}
	for name, tc := range map[string]struct {
		steps               []string // "manager apply|update: cells", in order
		removed, left, want []string
		shared              []string
	}{
		"ours alone": {steps: []string{"ours apply: A True, B True"}, removed: []string{"A", "B"}},
		"beside others": {steps: []string{"ours apply: A True, B True", "user update: A True, B True, C True"},
			removed: []string{"A", "B"}, want: []string{"C True"}},
		"another one began the list": {steps: []string{"user update: C True", "ours apply: A True, B True", "user update: A True, B True"},
			removed: []string{"A", "B"}},
		"another one has left status": {steps: []string{"user update: C True", "user update:", "ours apply: A True, B True"},
			removed: []string{"A", "B"}},
		"an edit that we corrected": {steps: []string{"ours apply: A True, B True", "user update: A False, B True",
			"ours apply: A True, B True"}, removed: []string{"A", "B"}},
		"an edit that stands": {steps: []string{"ours apply: A True, B True", "user update: A False, B True"}, removed: []string{"B"},
			shared: []string{"A"},
			want:   []string{"A False"}},
		"an edit that stands in a list of others": {steps: []string{"user update: C True", "user update:", "ours apply: A True, B True",
			"user update: A False, B True"},
			removed: []string{"B"}, shared: []string{"A"}, want: []string{"A False"}},
		"with another one": {steps: []string{"other apply: A True", "ours apply: A True, B True"}, removed: []string{"B"},
			shared: []string{"A"}, want: []string{"A True"}},
		"by merge patch with another one": {steps: []string{"ours update: A True", "other apply: A True"}, shared: []string{"A"},
			want: []string{"A True"}},
		"by merge patch": {steps: []string{"ours update: A True, B True"}, removed: []string{"A", "B"}},
		"written and then edited": {steps: []string{"user update: A True", "user update: A True, B True"}, left: []string{"A", "B"},
			want: []string{"A True", "B True"}},
	} {
		t.Run(name, func(t *testing.T) {
			object0 := strings.ReplaceAll(name, " ", "-")
			made := s.create(t, client, "Thing", object0)
			target := s.target("Thing", own)
			resource := client.Resource(target.Resource).Namespace(s.namespace)
			for _, step := range tc.steps {
				who, what, _ := strings.Cut(step, ":")
				manager, how, _ := strings.Cut(who, " ")
				var cells []string
				if what != "" {
					cells = strings.Split(strings.TrimSpace(what), ", ")
				}
				body := object(object0, cells...)
				var err error
				if how == "apply" {
					_, err = resource.Apply(t.Context(), object0, &unstructured.Unstructured{Object: body},
						metav1.ApplyOptions{FieldManager: manager, Force: true}, "status")
				} else {
					data, _ := json.Marshal(map[string]any{"status": body["status"]})
					_, err = resource.Patch(t.Context(), object0, types.MergePatchType, data, metav1.PatchOptions{FieldManager: manager}, "status")
				}
				if err != nil {
					t.Fatal(step, err)
				}
			}
			w := &apply.Writer{Client: client, Manager: "ours"}
			out, err := w.Withdraw(t.Context(), target, made, true, false)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "removed", tc.removed, out.Removed)
			diff(t, "left", tc.left, out.Left)
			diff(t, "shared", tc.shared, out.Shared)
			_, stored, err := s.get(t.Context(), client, "Thing", object0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range stored {
				got = append(got, c.Type+" "+string(c.Status))
			}
			diff(t, "stored", tc.want, got)
			again, err := w.Withdraw(t.Context(), target, made, true, false)
			if err != nil || len(again.Removed)+len(again.Shared) > 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
			latest, err := resource.Get(t.Context(), object0, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range apply.Holders(latest.Object, target.Path) {
				if h.Manager == "ours" {
					t.Errorf("this manager still holds %+v", h)
				}
			}
			if !strings.HasSuffix(name, "with another one") {
				return
			}
			// What the other manager does not apply any more goes, as no other one holds it.
			if _, err := resource.Apply(t.Context(), object0, &unstructured.Unstructured{Object: object(object0, "C True")},
				metav1.ApplyOptions{FieldManager: "other", Force: true}, "status"); err != nil {
				t.Fatal(err)
			}
			if _, stored, err := s.get(t.Context(), client, "Thing", object0); err != nil || len(stored) != 1 || stored[0].Type != "C" {
				t.Errorf("the other manager dropped its entries but C, and %v is stored: %v", stored, err)
			}
		})
	}
}
