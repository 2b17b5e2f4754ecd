// SPDX-License-Identifier: Apache-2.0

package gen_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/proof/world/clitest"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Objects of others, into which products go, with content of their owners.
const (
	argoConfig = `{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd, labels: {team: platform}},
  data: {url: "https://argocd.example.com", dex.config: "connectors: []", resource.customizations.health.example.org_Lamp: "return nil"}}`
	argoOperator = `{apiVersion: argoproj.io/v1beta1, kind: ArgoCD, metadata: {name: argocd, namespace: argocd}, spec: {ha: {enabled: true},
  extraConfig: {accounts.alice: login}, resourceHealthChecks: [{group: example.org, kind: Lamp, check: "return nil"}]}}`
	authored = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toolpolicies.kars.azure.com, annotations: {owner: platform}}
spec:
  group: kars.azure.com
  scope: Namespaced
  names: {kind: ToolPolicy, listKind: ToolPolicyList, plural: toolpolicies, singular: toolpolicy}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Tools, type: integer, jsonPath: .spec.tools, description: How many tools there are.}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].reason'}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              profile: {type: string}
              conditions:
                type: array
                description: The conditions of the policy.
                maxItems: 16
                items: {type: object, properties: {type: {type: string, maxLength: 40}, hint: {type: string}}}
`
)

// own are the kinds of whole objects in products, with the prefix of their names: nobody else has an object of such a name.
var own = map[string]string{
	"ValidatingAdmissionPolicy": "conditions.", "ValidatingAdmissionPolicyBinding": "conditions.",
	"ClusterRole": "kube-state-metrics-", "PrometheusRule": "conditions-",
	"CustomResourceStateMetrics": "", // a file of kube-state-metrics, not an object
}

// TestForeign: a product is a whole object only if nobody else has one of its name. Every other product is a patch, or a fragment without a
// kind, which cannot be applied; a patch loses nothing of the objects that it goes into, also if it is applied or made twice.
func TestForeign(t *testing.T) {
	definition := filepath.Join(t.TempDir(), "crd.yaml")
	write := func(data []byte) {
		if err := os.WriteFile(definition, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte(authored))
	owners := map[string]string{"configmaps": argoConfig, "argocds.argoproj.io": argoOperator}
	found := map[string]bool{}
	for _, args := range [][]string{{"argocd"}, {"argocd", "--form", "operator"}, {"argocd", "--form", "files"}, {"flux"}, {"kstatus"}, {"metrics"},
		{"grafana"}, {"columns"}, {"columns", "--definition", definition}, {"policy"}} {
		name := strings.Join(args, " ")
		out := t.TempDir()
		run(t, append([]string{"gen", args[0], "ToolPolicy.kars.azure.com", "--out", out}, args[1:]...)...)
		err := filepath.WalkDir(out, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if target, is := export.PatchOf(data); is {
				patch, before := toJSON(t, data), toJSON(t, []byte(owners[target.Type]))
				once, err := jsonpatch.MergePatch(before, patch)
				if err != nil {
					return err
				}
				kept(t, name, before, once)
				if twice, err := jsonpatch.MergePatch(once, patch); err != nil || !jsonpatch.Equal(once, twice) {
					t.Errorf("%s: a second patch changes the object: %v", name, err)
				}
				found[target.Type] = true
				return nil
			}
			d := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(string(data)), 4096)
			for {
				var document any
				if err := d.Decode(&document); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
				switch v := document.(type) {
				case map[string]any:
					kind, _ := v["kind"].(string)
					metadata, _ := v["metadata"].(map[string]any)
					called, _ := metadata["name"].(string)
					if prefix, ours := own[kind]; kind != "" && (!ours || !strings.HasPrefix(called, prefix)) {
						t.Errorf("%s: %s has a whole %s/%s, which is not ours: applied, it removes what its owner applied", name, entry.Name(), kind, called)
					}
				case []any:
					found["columns"] = true
					patch, err := jsonpatch.DecodePatch(toJSON(t, data))
					if err != nil {
						return err
					}
					before := toJSON(t, []byte(authored))
					once, err := patch.Apply(before)
					if len(args) == 1 {
						if err == nil {
							t.Errorf("%s: a patch that knows nothing of the columns of the author is accepted", entry.Name())
						}
						continue
					}
					if err != nil {
						t.Errorf("%s: %v", entry.Name(), err)
						continue
					}
					kept(t, name+" "+entry.Name(), before, once)
					if twice, err := patch.Apply(once); err == nil && !jsonpatch.Equal(once, twice) {
						t.Errorf("%s: a second patch changes the definition", entry.Name())
					}
					write(once)
					again := t.TempDir()
					run(t, "gen", "columns", "ToolPolicy.kars.azure.com", "--out", again, "--definition", definition)
					write([]byte(authored))
					if data, err = os.ReadFile(filepath.Join(again, entry.Name())); err != nil {
						return err
					}
					if patch, err = jsonpatch.DecodePatch(toJSON(t, data)); err != nil {
						return err
					}
					if twice, err := patch.Apply(once); err != nil || !jsonpatch.Equal(once, twice) {
						t.Errorf("%s: a patch made for the patched definition changes it: %v", entry.Name(), err)
					}
				}
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(map[string]bool{"configmaps": true, "argocds.argoproj.io": true, "columns": true}, found); diff != "" {
		t.Errorf("patches: -want +got\n%s", diff)
	}
}

func toJSON(t *testing.T, data []byte) []byte {
	t.Helper()
	out, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// kept reports each value of an object that another one lacks or has otherwise.
func kept(t *testing.T, name string, before, after []byte) {
	t.Helper()
	var was, is any
	if err := json.Unmarshal(before, &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(after, &is); err != nil {
		t.Fatal(err)
	}
	var walk func(at string, was, is any)
	walk = func(at string, was, is any) {
		switch w := was.(type) {
		case map[string]any:
			m, _ := is.(map[string]any)
			for key, value := range w {
				walk(at+"."+key, value, m[key])
			}
		case []any:
			list, _ := is.([]any)
			if len(list) < len(w) {
				t.Errorf("%s: %s lost entries", name, at)
				return
			}
			for i := range w {
				walk(at, w[i], list[i])
			}
		default:
			if !cmp.Equal(was, is) {
				t.Errorf("%s: %s was %v and is %v", name, at, was, is)
			}
		}
	}
	walk("", was, is)
}

// TestForeign_kubectl: on a real API server, argocd-cm that its owner applies keeps the owner's keys and the checks, whoever comes last and
// on whichever side kubectl applies; the product itself cannot be applied.
func TestForeign_kubectl(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl: ", err)
	}
	b := newBench(t)
	dir := t.TempDir()
	kubeconfig := clitest.Kubeconfig(t, b.config, "", "")
	kubectl := func(args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), "kubectl", append([]string{"--kubeconfig", kubeconfig}, args...)...)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := kubectl(args...)
		if err != nil {
			t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	owner := filepath.Join(dir, "owner.yaml")
	if err := os.WriteFile(owner, toJSON(t, []byte(argoConfig)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "gen", "argocd", "ToolPolicy.kars.azure.com", "--out", dir)
	product := filepath.Join(dir, "argocd-cm-patch.yaml")
	must("create", "namespace", "argocd")
	t.Cleanup(func() { _, _ = kubectl("delete", "namespace", "argocd", "--wait=false") })
	for _, side := range []string{"--server-side=false", "--server-side"} {
		must("apply", side, "-f", owner)
		for range 2 {
			must("-n", "argocd", "patch", "configmaps", "argocd-cm", "--type", "merge", "--patch-file", product)
			must("apply", side, "-f", owner)
			if out, err := kubectl("apply", side, "-f", product); err == nil {
				t.Errorf("kubectl apply %s accepts the product: %s", side, out)
			}
			data := must("-n", "argocd", "get", "configmaps", "argocd-cm", "-o", "jsonpath={.data}")
			for _, key := range []string{`"url"`, `"dex.config"`, "health.example.org_Lamp", "health.kars.azure.com_ToolPolicy"} {
				if !strings.Contains(data, key) {
					t.Errorf("%s: argocd-cm has lost %s", side, key)
				}
			}
		}
		must("-n", "argocd", "delete", "configmaps", "argocd-cm")
	}
}
