// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/google/go-cmp/cmp"
	public "github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	"github.com/tristate/tristate/systems"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// chartRules renders the roles of the chart, with what is allowed besides.
func chartRules(t *testing.T, write, read []map[string]any) string {
	t.Helper()
	return renderChart(t, "tristate", map[string]any{"rbac": map[string]any{"write": write, "read": read}}, "rbac.yaml")
}

// permissions returns the permissions of roles, each as "VERB resource.group".
func permissions(rules []rbacv1.PolicyRule) []string {
	out := map[string]bool{}
	for _, r := range rules {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					out[verb+" "+resource+"."+group] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// rulesOf returns the rules of the roles among some documents.
func rulesOf(t *testing.T, text string) (out []rbacv1.PolicyRule) {
	t.Helper()
	for _, o := range manifests(t, text) {
		if kind := o.Content["kind"]; kind == "Role" || kind == "ClusterRole" {
			var role rbacv1.Role
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Content, &role); err != nil {
				t.Fatal(err)
			}
			out = append(out, role.Rules...)
		}
	}
	return out
}

// TestChart_rules: the chart allows the verbs that the controller needs, and no more, by default and with kinds to read and to write; the
// plain manifests are its output by default.
func TestChart_rules(t *testing.T) {
	plural := func(gk schema.GroupKind) string { return strings.ToLower(gk.Kind) + "s" }
	needs := func(o controller.Options) []rbacv1.PolicyRule {
		t.Helper()
		rules, err := controller.Rules(o, plural)
		if err != nil {
			t.Fatal(err)
		}
		return rules
	}
	empty, err := catalog.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	base := permissions(needs(controller.Options{Catalogs: &public.Set{Compiled: empty}}))
	if diff := cmp.Diff(base, permissions(rulesOf(t, chartRules(t, nil, nil)))); diff != "" {
		t.Errorf("the chart by default: -needed +allowed\n%s", diff)
	}
	plain, err := os.ReadFile("../../deploy/tristate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(base, permissions(rulesOf(t, string(plain)))); diff != "" {
		t.Errorf("the plain manifests: -needed +allowed\n%s", diff)
	}

	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Cluster.cluster.x-k8s.io", "Machine.cluster.x-k8s.io",
		"KubeadmControlPlane.controlplane.cluster.x-k8s.io"} {
		gk := catalog.ParseGroupKind(kind)
		rules := needs(controller.Options{Catalogs: &public.Set{Compiled: set}, Manage: []schema.GroupKind{gk}})
		written := map[string]bool{}
		var write, read []map[string]any
		for _, writes := range []bool{true, false} {
			for _, r := range rules {
				own := map[string]any{"apiGroup": r.APIGroups[0], "resources": []any{r.Resources[0]}}
				key := r.Resources[0] + "." + r.APIGroups[0]
				switch {
				case slices.Contains(base, r.Verbs[0]+" "+key) || strings.Contains(key, "/"):
				case writes && slices.Contains(r.Verbs, "get"):
					written[key] = true
					write = append(write, own)
				case !writes && !written[key]:
					read = append(read, own)
				}
			}
		}
		if len(write) == 0 {
			t.Errorf("%s: nothing is written", kind)
		}
		if diff := cmp.Diff(permissions(rules), permissions(rulesOf(t, chartRules(t, write, read)))); diff != "" {
			t.Errorf("%s: -needed +allowed\n%s", kind, diff)
		}
	}
}

const lamps = "chart.example.dev"

// TestChart_run: an API server accepts the manifests, with pods that restricted pod security admits; run started with the arguments and the
// service account of the chart does its work, answers probes, and a second one takes over.
func TestChart_run(t *testing.T) {
	oneAtATime(t)
	config := plane.ForTest(t)
	b := clitest.NewBench(t)
	crd, err := os.ReadFile("../declare/catalog/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Install(t.Context(), config, crd, []byte(chartDefinition)); err != nil {
		t.Fatal(err)
	}
	args := deploy(b)

	client := kubernetes.NewForConfigOrDie(config)
	b.Until(func() ([]unstructured.Unstructured, error) {
		list, err := b.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace("tristate-system").List(
			t.Context(), metav1.ListOptions{})
		return list.Items, err
	}, func(u unstructured.Unstructured) bool { return u.GetLabels()["app.kubernetes.io/name"] == "tristate" })

	token, err := client.CoreV1().ServiceAccounts("tristate-system").CreateToken(t.Context(), "tristate", &authenticationv1.TokenRequest{},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plane.Allowed(t, config, "system:serviceaccount:tristate-system:tristate", authorizationv1.ResourceAttributes{Verb: "list", Group: lamps,
		Resource: "lamps"})
	account := rest.AnonymousClientConfig(config)
	account.BearerToken = token.Status.Token
	may(b, account, map[string]bool{"secrets.": false, "lamps." + lamps: true, "widgets." + lamps: false})
	file := clitest.Kubeconfig(t, account, "", "")

	b.Create("{apiVersion: tristate.dev/v1alpha1, kind: ConditionCatalog, metadata: {name: lamps." + lamps + "}, spec: " + chartCatalog + "}")
	lamp := b.Create("{apiVersion: " + lamps + "/v1, kind: Lamp, metadata: {name: hall}}")
	report(b, lamp, "True")

	first, second := startReplica(b, args, file), startReplica(b, args, file)
	b.Until(getter(b, lamp), ready("True"))
	for _, r := range []*replica{first, second} {
		for _, path := range []string{r.health + "/healthz", r.health + "/readyz", r.metrics + "/metrics"} {
			answers(b, path)
		}
	}
	lease, err := client.CoordinationV1().Leases("tristate-system").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(lease.Items) != 1 || lease.Items[0].Spec.HolderIdentity == nil {
		t.Errorf("leases: %v, %+v", err, lease)
	}
	first.Stop()
	first.Rest()
	report(b, lamp, "False")
	b.Until(getter(b, lamp), ready("False"))
	second.Stop()
	second.Rest()
}

// deploy applies the manifests, each with a dry run before, and the RBAC of the chart for lamps; it returns the arguments of the container.
func deploy(b *clitest.Bench) (args []string) {
	t := b.T
	plain, err := os.ReadFile("../../deploy/tristate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(plain) + "\n---\n" + chartRules(t, []map[string]any{{"apiGroup": lamps, "resources": []any{"lamps"}}}, nil)
	for _, o := range manifests(t, text) {
		u := &unstructured.Unstructured{Object: o.Content}
		m, err := b.Mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
		if err != nil {
			t.Fatal(err)
		}
		target := b.Client.Resource(m.Resource).Namespace(u.GetNamespace())
		for _, dry := range [][]string{{metav1.DryRunAll}, nil} {
			if _, err := target.Apply(t.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: "chart-test", Force: true,
				DryRun: dry}); err != nil {
				t.Fatalf("%s/%s, dry run %v: %v", u.GetKind(), u.GetName(), dry, err)
			}
		}
		if u.GetKind() == "Deployment" {
			containers, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
			args, _, _ = unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
		}
	}
	if len(args) == 0 {
		t.Fatal("the manifests have no deployment")
	}
	for _, o := range manifests(t, readFile(t, renderedChart)) {
		u := &unstructured.Unstructured{Object: o.Content}
		if u.GetKind() == "ServiceMonitor" { // of a definition that this server does not have
			continue
		}
		m, err := b.Mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
		if err != nil {
			t.Fatal(err)
		}
		options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
		if _, err := b.Client.Resource(m.Resource).Namespace(u.GetNamespace()).Create(t.Context(), u, options); err != nil {
			t.Errorf("%s/%s with every value switched on: %v", u.GetKind(), u.GetName(), err)
		}
	}
	t.Cleanup(func() {
		for _, r := range []string{"clusterroles", "clusterrolebindings"} {
			_ = b.Client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1",
				Resource: r}).Delete(context.Background(), "tristate", metav1.DeleteOptions{})
		}
		_ = b.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Delete(context.Background(), "tristate-system",
			metav1.DeleteOptions{})
	})
	return args
}

// may checks what an account may list.
func may(b *clitest.Bench, account *rest.Config, want map[string]bool) {
	b.T.Helper()
	client := kubernetes.NewForConfigOrDie(account)
	for name, allowed := range want {
		resource, group, _ := strings.Cut(name, ".")
		review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(b.T.Context(), &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Group: group,
				Resource: resource}}}, metav1.CreateOptions{})
		if err != nil {
			b.T.Fatal(err)
		}
		if review.Status.Allowed != allowed {
			b.T.Errorf("list %s: allowed is %v", name, review.Status.Allowed)
		}
	}
}

// replica is one pod of the deployment, in this process.
type replica struct {
	*clitest.Started
	health, metrics string
}

// startReplica starts run with the arguments of the chart, on ports of its own.
func startReplica(b *clitest.Bench, args []string, kubeconfig string) *replica {
	b.T.Helper()
	r := &replica{health: plane.Address(b.T), metrics: plane.Address(b.T)}
	own := []string{"--kubeconfig", kubeconfig}
	for _, arg := range args {
		arg = strings.ReplaceAll(arg, "$(NAMESPACE)", "tristate-system")
		arg = strings.Replace(arg, "--health-address=:8081", "--health-address="+r.health, 1)
		own = append(own, strings.Replace(arg, "--metrics-address=:8080", "--metrics-address="+r.metrics, 1))
	}
	r.Started = clitest.Start(b.T, time.Now, false, own...)
	return r
}

// answers waits until a URL answers with 200.
func answers(b *clitest.Bench, path string) {
	b.T.Helper()
	last := ""
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		response, err := http.Get("http://" + path)
		if err != nil {
			last = err.Error()
			continue
		}
		response.Body.Close()
		if last = response.Status; response.StatusCode == http.StatusOK {
			return
		}
	}
	b.T.Errorf("%s: %s", path, last)
}

func getter(b *clitest.Bench, u *unstructured.Unstructured) func() ([]unstructured.Unstructured, error) {
	return func() ([]unstructured.Unstructured, error) {
		got, err := b.Resource(u).Get(b.T.Context(), u.GetName(), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return []unstructured.Unstructured{*got}, nil
	}
}

// ready reports whether an object has Ready with a status.
func ready(status string) func(unstructured.Unstructured) bool {
	return func(u unstructured.Unstructured) bool {
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		return slices.ContainsFunc(list, func(item any) bool {
			c, _ := item.(map[string]any)
			return c["type"] == "Ready" && c["status"] == status
		})
	}
}

// report writes the condition On of a lamp, as its own controller would.
func report(b *clitest.Bench, lamp *unstructured.Unstructured, status string) {
	b.T.Helper()
	apply := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Lamp","metadata":{"name":"hall"},"status":{"conditions":[{"type":"On","status":%q,"reason":"Switched","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`, lamps, status)
	force := true
	if _, err := b.Resource(lamp).Patch(b.T.Context(), "hall", types.ApplyPatchType, []byte(apply),
		metav1.PatchOptions{FieldManager: "lamps", Force: &force}, "status"); err != nil {
		b.T.Fatal(err)
	}
}

const chartCatalog = `{for: {group: ` + lamps + `, kind: Lamp, versions: [v1]}, manage: {manager: tristate}, conditions: [
{type: Ready, meaning: The lamp gives light., role: summary, derive: {summary: {of: ["On"]}}},
{type: "On", meaning: Current flows., polarity: positive, reasons: [{reason: Switched, status: "True", meaning: It is on.}, {reason: Switched, status: "False", class: transient, meaning: It is off.}]}]}`

const chartDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.` + lamps + `}
spec:
  group: ` + lamps + `
  scope: Namespaced
  names: {kind: Lamp, plural: lamps, singular: lamp, listKind: LampList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status:
            type: object
            properties:
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties: {type: {type: string}, status: {type: string}, reason: {type: string}, message: {type: string},
                    lastTransitionTime: {type: string, format: date-time}, observedGeneration: {type: integer}}
`
