// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world/clitest"

	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// counting is an API server that counts its requests.
type counting struct {
	url string

	mu      sync.Mutex
	asked   []string // METHOD path
	secrets []string // the Accept headers of requests for Secrets
}

// countRequests puts a counting proxy before an API server.
func countRequests(t *testing.T, config *rest.Config) *counting {
	t.Helper()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{}
	forward := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.asked = append(c.asked, r.Method+" "+r.URL.Path)
		if strings.Contains(r.URL.Path, "/secrets") {
			c.secrets = append(c.secrets, r.Header.Get("Accept"))
		}
		c.mu.Unlock()
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

// take returns the requests since the last call, in order.
func (c *counting) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.asked
	c.asked = nil
	slices.Sort(out)
	return out
}

// run runs a command and returns its output.
func (c *counting) run(t *testing.T, namespace string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &cli.App{In: &bytes.Buffer{}, Out: &out, Err: &errs, Env: func(string) string { return "" }, Now: time.Now, Name: "tristate"}
	if code := a.Run(t.Context(), append(args, "-n", namespace, "--kubeconfig", clitest.Kubeconfig(t, &rest.Config{Host: c.url}, "",
		""))); code != exit.OK {
		t.Fatalf("%v: exit code %d\n%s", args, code, &errs)
	}
	return out.String()
}

// create creates the objects of a file in a namespace, owners before what they own, with their status.
func create(t *testing.T, config *rest.Config, namespace, text string) {
	t.Helper()
	objects, errs := input.Parse("objects", []byte(text))
	for _, err := range errs {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	uids := map[types.UID]types.UID{}
	for made := -1; len(objects) > 0 && made != 0; {
		made = 0
		objects = slices.DeleteFunc(objects, func(o input.Object) bool {
			u := &unstructured.Unstructured{Object: o.Content}
			owners := u.GetOwnerReferences()
			for i, owner := range owners {
				uid, known := uids[owner.UID]
				if !known {
					return false
				}
				owners[i].UID = uid
			}
			gvk, old := u.GroupVersionKind(), u.GetUID()
			u.SetOwnerReferences(owners)
			u.SetUID("")
			u.SetResourceVersion("")
			u.SetNamespace(namespace)
			status := o.Content["status"]
			served := client.Resource(gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")).Namespace(namespace)
			out, err := served.Create(t.Context(), u, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			uids[old] = out.GetUID()
			if status != nil {
				data, err := json.Marshal(map[string]any{"status": status})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := served.Patch(t.Context(), u.GetName(), types.MergePatchType, data, metav1.PatchOptions{}, "status"); err != nil {
					t.Fatal(err)
				}
			}
			made++
			return true
		})
	}
	if len(objects) > 0 {
		t.Fatalf("%d objects have owners that are not there", len(objects))
	}
}

// TestRequests_cluster: tree and why of a broken Cluster API cluster list each kind of the answer once, and few others, whatever else
// the server serves; also with a provider that no catalog declares.
func TestRequests_cluster(t *testing.T) {
	config := plane.ForTest(t)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	clitest.InstallClusterAPI(ctx, t, config)
	prod, err := os.ReadFile("../../../systems/cluster-api/samples/prod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	other := strings.NewReplacer("AWSCluster", "DockerCluster", "AWSMachine", "DockerMachine", "infrastructure.cluster",
		"infrastructure.docker.cluster").Replace(string(prod))
	for _, kind := range []string{"DockerCluster", "DockerMachine", "DockerMachineTemplate", "DockerClusterTemplate", "DockerMachinePool"} {
		if err := live.Install(ctx, config, []byte(definition("infrastructure.docker.cluster.x-k8s.io", kind, "v1proposal"))); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"declared provider": string(prod), "unknown provider": other} {
		t.Run(name, func(t *testing.T) {
			namespace := plane.Namespace(t, config)
			create(t, config, namespace, text)
			c := countRequests(t, config)
			kinds := map[string]bool{}
			for _, command := range []string{"tree", "why"} { // why reads the same objects as tree
				var list render.VerdictList
				if err := json.Unmarshal([]byte(c.run(t, namespace, command, "cluster/prod", "-o", "json")), &list); err != nil {
					t.Fatal(err)
				}
				for _, item := range list.Items {
					kinds[item.Object.APIVersion+" "+item.Object.Kind] = true
				}
				asked := c.take()
				t.Logf("%s: %d kinds, %d requests", command, len(kinds), len(asked))
				if len(kinds) < 4 {
					t.Errorf("%s: only %d kinds: %v", command, len(kinds), kinds)
				}
				if most := len(kinds) + 10; len(asked) > most {
					t.Errorf("%s: %d requests for %d kinds, want at most %d:\n%s", command, len(asked), len(kinds), most, strings.Join(asked, "\n"))
				}
				for _, path := range asked {
					if strings.Contains(path, "/jobs") || strings.Contains(path, "/secrets") || strings.Contains(path, "template") {
						t.Errorf("%s: %s cannot be part of the answer", command, path)
					}
				}
			}
			// the text for people costs no more than a list of events for each cause
			c.run(t, namespace, "why", "cluster/prod")
			if asked := c.take(); len(asked) > len(kinds)+10 {
				t.Errorf("why: %d requests:\n%s", len(asked), strings.Join(asked, "\n"))
			}
		})
	}
}

// definition is the definition of a kind of any form, with a status.
func definition(group, kind, version string) string {
	lower := strings.ToLower(kind)
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + lower + "s." + group + `}
spec:
  group: ` + group + `
  scope: Namespaced
  names: {kind: ` + kind + `, plural: ` + lower + `s, singular: ` + lower + `, listKind: ` + kind + `List}
  versions:
  - name: ` + version + `
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
}

// TestRequests_secrets: no command makes the server send the data of a Secret.
func TestRequests_secrets(t *testing.T) {
	config := plane.ForTest(t)
	namespace := plane.Namespace(t, config)
	create(t, config, namespace, `{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {password: hunter2}}`)
	c := countRequests(t, config)
	for _, args := range [][]string{{"status", "secret/key"}, {"status", "secrets"}, {"status", "secrets", "-o", "wide"},
		{"tree", "secret/key"}, {"why", "secret/key"},
		{"wait", "secret/key", "--for", "create"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			out := c.run(t, namespace, args...)
			if args[0] != "wait" && !strings.Contains(out, "Secret/key") {
				t.Errorf("output lacks the secret:\n%s", out)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.secrets) == 0 {
				t.Error("nothing was asked about secrets")
			}
			for _, accept := range c.secrets {
				if !strings.Contains(accept, "as=PartialObjectMetadata") {
					t.Errorf("asked for the data: Accept: %s", accept)
				}
			}
			c.secrets = nil
		})
	}
}
