// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/world/clitest"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestPartial: a user without rights has no answer, and one with the role view in one namespace has one there and none about the cluster.
func TestPartial(t *testing.T) {
	t.Parallel()
	config := plane.ForTest(t)
	b := clitest.NewBench(t)
	b.Create("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}")
	b.Create("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}")
	viewer := "viewer-" + b.Namespace
	_, err := kubernetes.NewForConfigOrDie(config).RbacV1().RoleBindings(b.Namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "view"}, Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: viewer}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		as, args   string
		code       int
		out, error string // what they contain; "" for out: it is empty
	}{
		"nobody":                  {"nobody", "status --exit-code", 6, "", "nothing could be read: "},
		"nobody, why":             {"nobody", "why", 6, "whether anything is wrong is not known", ""},
		"nobody, one object":      {"nobody", "why svc/web", 6, "", "you may not get services"},
		"viewer of everything":    {viewer, "status -A --exit-code", 6, "", "nothing could be read: "},
		"viewer, why -A":          {viewer, "why -A", 6, "whether anything is wrong is not known", ""},
		"viewer":                  {viewer, "status", 0, "PersistentVolumeClaim/data", ""},
		"viewer, exit code":       {viewer, "status --exit-code", 1, "PersistentVolumeClaim/data", ""},
		"viewer, object":          {viewer, "status svc/web --exit-code", 0, "Service/web", ""},
		"viewer, why":             {viewer, "why svc/web", 0, "Service/web is Current", ""},
		"viewer, tree of objects": {viewer, "tree svc/web", 0, "Service/web", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
			code := a.Run(t.Context(), append(strings.Fields(test.args), "--kubeconfig", clitest.Kubeconfig(t, config, b.Namespace, test.as)))
			if code != test.code || !strings.Contains(out.String(), test.out) || test.out == "" && out.Len() > 0 ||
				!strings.Contains(errs.String(), test.error) || strings.Contains(out.String(), "nothing wrong") {
				t.Errorf("exit code %d, want %d; want %q on standard output, %q on standard error:\n%s\n%s", code, test.code, test.out, test.error,
					&out, &errs)
			}
		})
	}
}
