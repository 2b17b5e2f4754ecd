// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"testing"

	"github.com/tristate/tristate/operator"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestBackupOfOthers: an operation restores from a Backup of its own namespace, or from one that the administrator
// shares, and never from another tenant's.
func TestBackupOfOthers(t *testing.T) {
	shared, err := labels.Parse("velero.io/schedule-name=nightly")
	if err != nil {
		t.Fatal(err)
	}
	o := &api.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "red", Name: "r"},
		Spec: api.OperationSpec{Type: engine.Restore, Engine: engine.Velero,
			Parameters: api.Parameters{Velero: &api.VeleroParameters{BackupName: "b"}}}}
	for name, test := range map[string]struct {
		labels map[string]string
		shared labels.Selector
		want   string
	}{
		"its own":         {map[string]string{"ops.vworkspace.io/operation-namespace": "red"}, nil, ""},
		"another's":       {map[string]string{"ops.vworkspace.io/operation-namespace": "blue"}, shared, "refused"},
		"nobody's":        {nil, nil, "refused"},
		"shared":          {map[string]string{"velero.io/schedule-name": "nightly"}, shared, ""},
		"shared, not set": {map[string]string{"velero.io/schedule-name": "nightly"}, nil, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &unstructured.Unstructured{}
			b.SetGroupVersionKind(kit.GVK("velero.io", "Backup"))
			b.SetNamespace("velero")
			b.SetName("b")
			b.SetUID("b")
			b.SetLabels(test.labels)
			c := fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithObjects(b).Build()
			e := &kit.Env{Host: &operator.Host{Manager: cluster{client: c}}, Settings: kit.Settings{SharedBackups: test.shared}}
			got, err := backupProblem(t.Context(), e, o)
			if err != nil || (got == "") != (test.want == "") {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}
