// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli"
)

// TestOverview: without arguments, status shows the unhealthy objects and then how many objects of each kind there are; "all" lists them;
// the tree of a namespace has the objects that are below no other; completion knows types, names and namespaces.
func TestOverview(t *testing.T) {
	t.Parallel()
	b := clitest.NewBench(t)
	b.Create("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}")
	b.Create("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}")
	b.Create(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: ` + b.Namespace + `-dead}, webhooks: [{
name: dead.example.com, failurePolicy: Fail, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {name: nosuch, namespace: ` + b.Namespace + `}},
rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], resources: [nothings]}]}]}`)
	run := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
		code := a.Run(t.Context(), append(args, "--kubeconfig", b.Kubeconfig))
		return code, out.String() + errs.String()
	}
	tests := map[string]struct {
		args    []string
		code    int
		has, no []string
	}{
		"overview": {[]string{"status", "-n", b.Namespace}, 0,
			[]string{"OBJECT", "PersistentVolumeClaim/data  … InProgress", "KIND ", "Service                1        1 Current", "2 objects",
				"1 InProgress"}, []string{"Service/web"}},
		"overview of the cluster": {[]string{"status", "-A"}, 0, []string{"NAMESPACE", b.Namespace, "Namespace ", "PersistentVolumeClaim/data",
			"ValidatingWebhookConfiguration/" + b.Namespace + "-dead"}, nil},
		"causes of the cluster": {[]string{"why", "-A", "-o", "brief"}, 0, []string{b.Namespace + "/Service/nosuch: NotFound",
			"explains: 1 object: ValidatingWebhookConfiguration/" + b.Namespace + "-dead"}, nil},
		"all": {[]string{"status", "all", "-n", b.Namespace}, 0, []string{"Service/web", "PersistentVolumeClaim/data",
			"2 objects"}, []string{"KIND "}},
		"for machines": {[]string{"status", "-n", b.Namespace, "-o", "name"}, 0, []string{"service/web\n"}, []string{"KIND"}},
		"judged":       {[]string{"status", "-n", b.Namespace, "--exit-code"}, 1, nil, nil},
		"a namespace as a tree": {[]string{"tree", "ns/" + b.Namespace}, 0,
			[]string{"Namespace/" + b.Namespace, "├─ PersistentVolumeClaim/data", "└─ Service/web", "although StorageClass/none"}, nil},
		"names":      {[]string{"__complete", "status", "-n", b.Namespace, "svc/"}, 0, []string{"svc/web\n"}, nil},
		"names, too": {[]string{"__complete", "why", "-n", b.Namespace, "service", ""}, 0, []string{"web\n"}, nil},
		"types":      {[]string{"__complete", "tree", "deploy"}, 0, []string{"deployments\n"}, nil},
		"namespaces": {[]string{"__complete", "tree", "-n", "kube-"}, 0, []string{"kube-system\n"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			args := test.args
			if args[0] == "__complete" { // the last word is the one to complete
				args = append(append([]string{"__complete", args[1], "--kubeconfig", b.Kubeconfig}, args[2:len(args)-1]...), args[len(args)-1])
				var out bytes.Buffer
				a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &bytes.Buffer{}, Env: func(string) string { return "" }, Now: time.Now,
					Name: "tristate"}
				a.Run(t.Context(), args)
				for _, want := range test.has {
					if !strings.Contains("\n"+out.String(), "\n"+want) {
						t.Errorf("no %q in\n%s", want, out.String())
					}
				}
				return
			}
			code, out := run(args...)
			if code != test.code {
				t.Errorf("exit code %d, want %d\n%s", code, test.code, out)
			}
			for _, want := range test.has {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, not := range test.no {
				if strings.Contains(out, not) {
					t.Errorf("%q in\n%s", not, out)
				}
			}
		})
	}
}
