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
	s := newStage(t)
	client := s.client(t, &tally{})
	own := kind("A", "B")
	object := func(name string, cells ...string) map[string]any {
		list := []any{}
		for _, cell := range cells {
			list = append(list, entry(cell, start, 1))
		}
		return map[string]any{"apiVersion": "example.dev/v1", "kind": "Thing", "metadata": map[string]any{"name": name}, "status": map[string]any{"conditions": list}}
	}
	for name, tc := range map[string]struct {
		steps               []string // "manager apply|update: cells", in order
		removed, left, want []string
	}{
		"ours alone":                  {steps: []string{"ours apply: A True, B True"}, removed: []string{"A", "B"}},
		"beside others":               {steps: []string{"ours apply: A True, B True", "user update: A True, B True, C True"}, removed: []string{"A", "B"}, want: []string{"C True"}},
		"another one began the list":  {steps: []string{"user update: C True", "ours apply: A True, B True", "user update: A True, B True"}, removed: []string{"A", "B"}},
		"another one has left status": {steps: []string{"user update: C True", "user update:", "ours apply: A True, B True"}, removed: []string{"A", "B"}},
		"an edit that we corrected":   {steps: []string{"ours apply: A True, B True", "user update: A False, B True", "ours apply: A True, B True"}, removed: []string{"A", "B"}},
		"an edit that stands": {steps: []string{"ours apply: A True, B True", "user update: A False, B True"}, removed: []string{"B"}, left: []string{"A"},
			want: []string{"A False"}},
		"an edit that stands in a list of others": {steps: []string{"user update: C True", "user update:", "ours apply: A True, B True", "user update: A False, B True"},
			removed: []string{"B"}, left: []string{"A"}, want: []string{"A False"}},
		"by merge patch":          {steps: []string{"ours update: A True, B True"}, removed: []string{"A", "B"}},
		"written and then edited": {steps: []string{"user update: A True", "user update: A True, B True"}, left: []string{"A", "B"}, want: []string{"A True", "B True"}},
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
					_, err = resource.Apply(t.Context(), object0, &unstructured.Unstructured{Object: body}, metav1.ApplyOptions{FieldManager: manager, Force: true}, "status")
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
			if err != nil || len(again.Removed) > 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}
