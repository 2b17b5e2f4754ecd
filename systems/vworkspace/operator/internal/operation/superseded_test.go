// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"testing"
	"time"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestSuperseded: "a fresh Backup while this one was waiting". An operation that can never run is no fresh Backup, and the one that waits
// stays.
func TestSuperseded(t *testing.T) {
	backup := func(name string, age time.Duration, change func(*api.Operation)) api.Operation {
		o := api.Operation{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name),
			CreationTimestamp: metav1.Time{Time: start.Add(-age)}}, Spec: api.OperationSpec{Type: engine.Backup, Engine: engine.Job,
			Parameters: api.Parameters{Job: &api.JobParameters{Image: "i"}}}}
		change(&o)
		return o
	}
	waits := backup("waits", time.Hour, func(*api.Operation) {})
	for name, test := range map[string]struct {
		change func(*api.Operation)
		want   bool
	}{
		"a fresh one":           {func(*api.Operation) {}, true},
		"without an image":      {func(o *api.Operation) { o.Spec.Parameters.Job = nil }, false},
		"by another engine":     {func(o *api.Operation) { o.Spec.Engine = engine.Velero }, false},
		"another type":          {func(o *api.Operation) { o.Spec.Type = engine.Restore }, false},
		"one that goes":         {func(o *api.Operation) { o.DeletionTimestamp = &metav1.Time{Time: start} }, false},
		"one that is cancelled": {func(o *api.Operation) { o.Annotations = map[string]string{api.AnnotationCancel: "true"} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			newer := superseded(&waits, []api.Operation{waits, backup("newer", time.Minute, test.change)})
			if newer != nil != test.want {
				t.Errorf("superseded by %v, want %v", newer, test.want)
			}
		})
	}
}
