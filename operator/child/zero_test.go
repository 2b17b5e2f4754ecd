// SPDX-License-Identifier: Apache-2.0

package child

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// TestUnclaim: what is not set is not claimed; a pointer to zero, an empty object behind a pointer and a field that its type requires are.
func TestUnclaim(t *testing.T) {
	tests := map[string]struct {
		object any
		want   map[string]any
	}{
		"a Deployment": {&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "main", Ports: []corev1.ContainerPort{{ContainerPort: 80}}}},
				Volumes:    []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			}},
		}}, map[string]any{
			"metadata": map[string]any{"name": "web"},
			"spec": map[string]any{"replicas": int64(0), "selector": map[string]any{}, "template": map[string]any{"spec": map[string]any{
				"containers": []any{map[string]any{"name": "main", "ports": []any{map[string]any{"containerPort": int64(80)}}}},
				"volumes":    []any{map[string]any{"name": "tmp", "emptyDir": map[string]any{}}},
			}}},
		}},
		"a Role without rules": {&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "r"}}, map[string]any{"metadata": map[string]any{"name": "r"}}},
		"a required zero": {&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "b"}, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "r"}},
			map[string]any{"metadata": map[string]any{"name": "b"}, "roleRef": map[string]any{"apiGroup": "", "kind": "Role", "name": "r"}}},
	}
	for name, test := range tests {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(test.object)
		if err != nil {
			t.Fatal(err)
		}
		if unclaim(reflect.ValueOf(test.object), content); !cmp.Equal(test.want, content) {
			t.Errorf("%s: -want +got\n%s", name, cmp.Diff(test.want, content))
		}
	}
}
