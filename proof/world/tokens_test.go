// SPDX-License-Identifier: Apache-2.0

package world_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// The accounts of the operators.
const (
	kars       = "system:serviceaccount:kars-system:kars-operator"
	vworkspace = "system:serviceaccount:vworkspace-system:vworkspace-operator"
	kro        = "system:serviceaccount:kro-system:kro-operator"
)

// There is a tenant's namespace, one that a tenant has made under the name of a sandbox's, one of a sandbox, and one
// that vWorkspace manages.
const there = `
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: kars-stolen}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: kars-web, labels: {app.kubernetes.io/managed-by: kars-operator,
  pod-security.kubernetes.io/enforce: restricted}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {managed-by: vworkspace}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: velero}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team}, data: {a: b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: coredns, namespace: kube-system}, data: {a: b}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: vworkspace-catalog-policy, namespace: vworkspace-system}, data: {a: b}}
---
{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: team}, data: {a: Yg==}}
---
{apiVersion: v1, kind: Secret, metadata: {name: vworkspace-approval-keys, namespace: vworkspace-system}, data: {a: Yg==}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: theirs, namespace: shop}, spec: {template: {spec: {restartPolicy: Never,
  containers: [{name: c, image: i}]}}}}
---
{apiVersion: kars.azure.com/v1alpha1, kind: ToolPolicy, metadata: {name: tools, namespace: team}, spec: {appliesTo: {
  sandboxMatchLabels: {a: b}}, agtProfile: {inline: "tools: {allow: [search]}"}}}
---
{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: theirs, namespace: shop}, spec: {interval: 1m}}
`

// pod is a pod template without privileges, with more fields.
func pod(more string) string {
	return "template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, automountServiceAccountToken: false, " +
		"containers: [{name: c, image: i}]" + more + "}}"
}

func deployment(namespace, more string) string {
	return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: ` + namespace + `, labels: {app.kubernetes.io/managed-by:
  kars-operator}}, spec: {selector: {matchLabels: {a: b}}, ` + strings.Replace(pod(more), "restartPolicy: Never, ", "", 1) + "}}"
}

func job(namespace, labels, spec string) string {
	return "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: " + namespace + ", labels: {" + labels +
		"}}, spec: {" + spec + "}}"
}

func release(namespace, spec string) string {
	return "{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: r, namespace: " + namespace +
		", labels: {app.kubernetes.io/managed-by: vworkspace-operator}}, spec: {interval: 1m" + spec + "}}"
}

const (
	mark   = "app.kubernetes.io/managed-by: kars-operator"
	ofShop = "ops.vworkspace.io/operation: u, ops.vworkspace.io/operation-namespace: shop"
	ofTeam = "ops.vworkspace.io/operation: u, ops.vworkspace.io/operation-namespace: team"
	crd    = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: pumps.example.com, labels: {%s}},
  spec: {group: example.com, names: {kind: Pump, plural: pumps, singular: pump, listKind: PumpList}, scope: Namespaced,
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`
)

func secret(namespace, name, more string) string {
	return "{apiVersion: v1, kind: Secret, metadata: {name: " + name + ", namespace: " + namespace + ", " + more + "}}"
}

// of names an object of [there].
func of(kind, namespace, name string) string {
	version := map[string]string{"Job": "batch/v1", "ToolPolicy": "kars.azure.com/v1alpha1",
		"HelmRelease": "helm.toolkit.fluxcd.io/v2", "CustomResourceDefinition": "apiextensions.k8s.io/v1"}[kind]
	if version == "" {
		version = "v1"
	}
	return "{apiVersion: " + version + ", kind: " + kind + ", metadata: {name: " + name + ", namespace: " + namespace + "}}"
}

// attempt is a request with the token of an operator: a creation, or another verb of an object that exists.
type attempt struct {
	user, name, object string
	patch              string // merge patch; "delete" and "get" are those verbs
	may                bool
}

var attempts = []attempt{
	{kars, "a privileged Deployment in kube-system", deployment("kube-system", ", hostPID: true"), "", false},
	{kars, "a Deployment in a tenant's namespace", deployment("team", ""), "", false},
	{kars, "a Deployment in a namespace made by a tenant", deployment("kars-stolen", ""), "", false},
	{kars, "a Deployment of a sandbox", deployment("kars-web", ""), "", true},
	{kars, "host network", deployment("kars-web", ", hostNetwork: true"), "", false},
	{kars, "a volume of the node", deployment("kars-web", ", volumes: [{name: v, hostPath: {path: /}}]"), "", false},
	{kars, "a token of the API server", strings.Replace(deployment("kars-web", ""), "Token: false", "Token: true", 1), "", false},
	{kars, "a Job with a tenant's Secret", job("team", mark, pod(", volumes: [{name: v, secret: {secretName: password}}]")), "", false},
	{kars, "a Job of an evaluation", job("team", mark, pod("")), "", true},
	{kars, "a Job without the mark", job("team", "", pod("")), "", false},
	{kars, "a Job in its own image of another's", of("Job", "shop", "theirs"), "delete", false},
	{kars, "a namespace of any name", "{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {" + mark + "}}}", "", false},
	{kars, "a namespace whose pods are not restricted", "{apiVersion: v1, kind: Namespace, metadata: {name: kars-x, labels: {" + mark +
		"}}}", "", false},
	{kars, "a namespace of a sandbox", "{apiVersion: v1, kind: Namespace, metadata: {name: kars-x, labels: {" + mark +
		", pod-security.kubernetes.io/enforce: restricted}}}", "", true},
	{kars, "deletion of kube-system", of("Namespace", `""`, "kube-system"), "delete", false},
	{kars, "deletion of a tenant's namespace", of("Namespace", `""`, "kars-stolen"), "delete", false},
	{kars, "deletion of a sandbox's namespace", of("Namespace", `""`, "kars-web"), "delete", true},
	{kars, "labels of a tenant's namespace", of("Namespace", `""`, "team"), `{"metadata":{"labels":{"a":"b"}}}`, false},
	{kars, "privileged pods in a sandbox's namespace", of("Namespace", `""`, "kars-web"),
		`{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}`, false},
	{kars, "a tenant's ConfigMap", of("ConfigMap", "team", "settings"), `{"data":{"a":"c"}}`, false},
	{kars, "a tenant's ConfigMap, with the mark", of("ConfigMap", "team", "settings"),
		`{"metadata":{"labels":{"app.kubernetes.io/managed-by":"kars-operator"}}}`, false},
	{kars, "coredns", of("ConfigMap", "kube-system", "coredns"), `{"data":{"a":"c"}}`, false},
	{kars, "a Secret with a token", strings.Replace(secret("team", "t",
		"annotations: {kubernetes.io/service-account.name: default}, labels: {"+mark+"}"), "kind: Secret",
		"kind: Secret, type: kubernetes.io/service-account-token", 1), "", false},
	{kars, "a Service in a tenant's namespace", "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: team}, " +
		"spec: {ports: [{port: 1}]}}", "", false},
	{kars, "a network policy of a tenant", "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: wide, namespace: team, " +
		"labels: {" + mark + "}}, spec: {podSelector: {}}}", "", false},
	{kars, "the spec of a policy", of("ToolPolicy", "team", "tools"), `{"spec":{"agtProfile":{"inline":"tools: {allow: [\"*\"]}"}}}`, false},
	{kars, "a finalizer of a policy", of("ToolPolicy", "team", "tools"), `{"metadata":{"finalizers":["kars.azure.com/finalizer"]}}`, true},
	{kars, "a binding of a role", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, namespace: team}, " +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}}", "", false},
	{vworkspace, "a privileged Job in kube-system", job("kube-system", ofTeam, pod(", hostPID: true")), "", false},
	{vworkspace, "a Job in a namespace that is not managed", job("team", ofTeam, pod("")), "", false},
	{vworkspace, "host network", job("shop", ofShop, pod(", hostNetwork: true")), "", false},
	{vworkspace, "a Job of an operation", job("shop", ofShop, pod("")), "", true},
	{vworkspace, "a Job of an operation elsewhere", job("shop", ofTeam, pod("")), "", false},
	{vworkspace, "a Job without an operation", job("shop", "", pod("")), "", false},
	{vworkspace, "a Job with a tenant's Secret", job("shop", ofShop, pod(", volumes: [{name: v, secret: {secretName: s}}]")), "", false},
	{vworkspace, "deletion of a tenant's Job", of("Job", "shop", "theirs"), "delete", false},
	{vworkspace, "the keys of approvers", of("Secret", "vworkspace-system", "vworkspace-approval-keys"), `{"data":{"a":"Yw=="}}`, false},
	{vworkspace, "a new Secret of its namespace", secret("vworkspace-system", "keys", "labels: {}"), "", false},
	{vworkspace, "its credentials", secret("vworkspace-system", "vworkspace-agent-credentials", "labels: {}"), "", true},
	{vworkspace, "a Secret of a tenant", secret("shop", "s", "labels: {}"), "", false},
	{vworkspace, "the catalog policy", of("ConfigMap", "vworkspace-system", "vworkspace-catalog-policy"), `{"data":{"a":"c"}}`, false},
	{vworkspace, "a release in kube-system", release("kube-system", ""), "", false},
	{vworkspace, "a release for kube-system", release("shop", ", targetNamespace: kube-system"), "", false},
	{vworkspace, "a release for another cluster", release("shop", ", kubeConfig: {secretRef: {name: s}}"), "", false},
	{vworkspace, "a release", release("shop", ""), "", true},
	{vworkspace, "a tenant's release", of("HelmRelease", "shop", "theirs"), `{"spec":{"suspend":true}}`, false},
	{vworkspace, "a Backup of every namespace", "{apiVersion: velero.io/v1, kind: Backup, metadata: {name: b, namespace: velero, labels: {" +
		ofShop + "}}, spec: {}}", "", false},
	{vworkspace, "a Backup of an operation", "{apiVersion: velero.io/v1, kind: Backup, metadata: {name: b, namespace: velero, labels: {" +
		ofShop + "}}, spec: {includedNamespaces: [shop]}}", "", true},
	{kro, "the definition of another kind", fmt.Sprintf(crd, ""), "", false},
	{kro, "the definition of a kind", fmt.Sprintf(crd, `kro.run/owned: "true"`), "", true},
	{kro, "the definition of ToolPolicies", of("CustomResourceDefinition", `""`, "toolpolicies.kars.azure.com"), "delete", false},
	{kro, "the label of another definition", of("CustomResourceDefinition", `""`, "toolpolicies.kars.azure.com"),
		`{"metadata":{"labels":{"kro.run/owned":"true"}}}`, false},
	{kro, "a Secret of its namespace", secret("kro-system", "s", "labels: {}"), "", false},
	{kro, "the key of its proofs", secret("kro-system", "kro-operator-made", "labels: {}"), "", true},
	{kro, "a Secret of others", of("Secret", "team", "password"), "get", false},
	{kro, "a Deployment", deployment("team", ""), "", false},
	{kro, "a ConfigMap of others", of("ConfigMap", "team", "settings"), `{"data":{"a":"c"}}`, false},
}

// TestTokens: a stolen token of an operator, on a cluster with the installed manifests of all three, does only what the
// operator does: 44 things are refused, and one of each of its own is not.
func TestTokens(t *testing.T) {
	w := world.Bare(t, world.Options{Scheme: clientgoscheme.Scheme, CRDs: "../../systems/kars/operator/config/crd"}, 0)
	if _, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{Paths: []string{"../../systems/vworkspace/operator/config/crd",
		"../../systems/kro/operator/config/crd"}, MaxTime: world.Patience}); err != nil {
		t.Fatal(err)
	}
	for plural, kind := range map[string]string{"helmreleases.helm.toolkit.fluxcd.io": "HelmRelease", "backups.velero.io": "Backup"} {
		name, group, _ := strings.Cut(plural, ".")
		version := map[string]string{"Backup": "v1", "HelmRelease": "v2"}[kind]
		w.Create(t, decode(t, fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %s},
  spec: {group: %s, names: {kind: %s, plural: %s, singular: %s, listKind: %sList}, scope: Namespaced, versions: [{name: %s, served: true,
  storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, plural, group, kind, name,
			strings.ToLower(kind), kind, version)))
	}
	for _, system := range []string{"kars", "vworkspace", "kro"} {
		data, err := os.ReadFile("../../systems/" + system + "/operator/deploy/install.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(data, []byte("---\n")) {
			if o := decode(t, string(document)); o.GetKind() != "" && o.GetKind() != "ValidatingWebhookConfiguration" {
				w.Create(t, o)
			}
		}
	}
	for document := range strings.SplitSeq(there, "---\n") {
		o := decode(t, document)
		world.Eventually(t, func() error { return client.IgnoreAlreadyExists(w.API.Create(t.Context(), o.DeepCopy())) })
	}
	tokens := map[string]client.Client{}
	refused := 0
	for _, a := range attempts {
		config := rest.CopyConfig(w.Config)
		config.Impersonate = rest.ImpersonationConfig{UserName: a.user}
		var err error
		if tokens[a.user], err = client.New(config, client.Options{Scheme: w.API.Scheme(), Mapper: w.API.RESTMapper()}); err != nil {
			t.Fatal(err)
		}
		if !a.may {
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("%d attempts have to be refused, want 40", refused)
	}
	world.Eventually(t, func() error { // roles are aggregated, and policies in force, some time after they are created
		var wrong []error
		for _, a := range attempts {
			err := a.send(t, tokens[a.user])
			refused := apierrors.IsForbidden(err) || err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy")
			if refused == a.may || a.may && err != nil {
				wrong = append(wrong, fmt.Errorf("%s, %s: may %v, and the answer is: %v", a.user, a.name, a.may, err))
			}
		}
		return errors.Join(wrong...)
	})
}

// send makes the request, of which nothing is stored.
func (a attempt) send(t *testing.T, c client.Client) error {
	o := decode(t, a.object)
	switch a.patch {
	case "":
		return c.Create(t.Context(), o, client.DryRunAll)
	case "delete":
		return c.Delete(t.Context(), o, client.DryRunAll)
	case "get":
		return c.Get(t.Context(), client.ObjectKeyFromObject(o), o)
	}
	return c.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(a.patch)), client.DryRunAll)
}

func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return o
}
