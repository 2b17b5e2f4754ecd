// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/proof/world/clitest"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

const plainServe = "../../deploy/serve.yaml"

// serveParts are the documents of serve in a rendering.
type serveParts struct {
	account    corev1.ServiceAccount
	role       rbacv1.ClusterRole
	bound      rbacv1.ClusterRoleBinding
	deployment appsv1.Deployment
	service    corev1.Service
	verdicts   rbacv1.ClusterRole // with the aggregated API, as the rest
	known      rbacv1.RoleBinding
	registered apiService
}

// apiService is the part of an APIService of apiregistration.k8s.io/v1 that the chart sets.
type apiService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group                 string `json:"group"`
		Version               string `json:"version"`
		InsecureSkipTLSVerify bool   `json:"insecureSkipTLSVerify"`
		GroupPriorityMinimum  int    `json:"groupPriorityMinimum"`
		VersionPriority       int    `json:"versionPriority"`
		Service               struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
			Port      int32  `json:"port"`
		} `json:"service"`
	} `json:"spec"`
}

// decodeServe reads them strictly.
func decodeServe(t *testing.T, text string) *serveParts {
	t.Helper()
	p := &serveParts{}
	for _, document := range strings.Split(text, "\n---\n") {
		var meta metav1.PartialObjectMetadata
		if err := yaml.Unmarshal([]byte(document), &meta); err != nil {
			t.Fatal(err)
		}
		into := map[string]any{"ServiceAccount": &p.account, "ClusterRole": &p.role, "ClusterRoleBinding": &p.bound, "Deployment": &p.deployment,
			"Service":        &p.service,
			"ServiceMonitor": &serviceMonitor{}, "Namespace": &corev1.Namespace{}, "RoleBinding": &p.known, "APIService": &p.registered}[meta.Kind]
		if meta.Kind == "ClusterRole" && strings.HasSuffix(meta.Name, "-verdicts") {
			into = &p.verdicts
		}
		if into == nil {
			t.Fatalf("%s is not expected", meta.Kind)
		}
		if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
			t.Errorf("%s: %v", meta.Kind, err)
		}
	}
	return p
}

// TestChart_serveParts: the documents of serve agree with one another, its arguments are flags of the command, and the plain manifests are
// the chart's.
func TestChart_serveParts(t *testing.T) {
	plain := readFile(t, plainServe)
	rendered := renderChart(t, "tristate", map[string]any{"serve": map[string]any{"enabled": true}}, "serve.yaml")
	if diff := cmp.Diff(byName(t, plain, ""), byName(t, rendered, "app.kubernetes.io/managed-by")); diff != "" {
		t.Errorf("the plain manifests are not the chart: make gen. -plain +chart\n%s", diff)
	}
	if text := renderChart(t, "tristate", nil, "serve.yaml"); strings.TrimSpace(text) != "" {
		t.Errorf("it is there without being asked for:\n%s", text)
	}
	every := decodeServe(t, documents(readFile(t, renderedChart), true))
	api := every.registered
	if to := api.Spec.Service; api.Name != api.Spec.Version+"."+api.Spec.Group || to.Name != every.service.Name ||
		to.Namespace != every.service.Namespace ||
		!slices.ContainsFunc(every.service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == to.Port }) {
		t.Errorf("the APIService %s leads to %+v, and the Service is %s/%s with ports %+v", api.Name, to, every.service.Namespace, every.service.Name,
			every.service.Spec.Ports)
	}
	if every.known.Namespace != "kube-system" || len(every.known.Subjects) != 1 || every.known.Subjects[0].Name != every.account.Name {
		t.Errorf("the account cannot read how the API server is known: %+v", every.known)
	}
	if rules := every.verdicts.Rules; len(rules) != 1 || !slices.Equal(rules[0].APIGroups, []string{api.Spec.Group}) {
		t.Errorf("who may view a namespace gets the rules %+v", rules)
	}
	for name, text := range map[string]string{"by default": plain, "every value": documents(readFile(t, renderedChart), true)} {
		p := decodeServe(t, text)
		pods := p.deployment.Spec.Template
		for _, selector := range []map[string]string{p.deployment.Spec.Selector.MatchLabels, p.service.Spec.Selector} {
			if len(selector) == 0 || !labels.SelectorFromSet(selector).Matches(labels.Set(pods.Labels)) {
				t.Errorf("%s: %v does not select the pods", name, selector)
			}
		}
		subject := rbacv1.Subject{Kind: "ServiceAccount", Name: pods.Spec.ServiceAccountName, Namespace: p.deployment.Namespace}
		if subject.Name != p.account.Name || p.bound.RoleRef.Name != p.role.Name || !slices.Equal(p.bound.Subjects, []rbacv1.Subject{subject}) {
			t.Errorf("%s: the pods run as %s, the role %s is for %v", name, subject.Name, p.bound.RoleRef.Name, p.bound.Subjects)
		}
		_, args, err := (&cli.App{}).Command().Find(pods.Spec.Containers[0].Args)
		if err != nil {
			t.Fatal(err)
		}
		serve, _, err := (&cli.App{}).Command().Find([]string{"serve"})
		if err != nil {
			t.Fatal(err)
		}
		if err := serve.ParseFlags(args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, rule := range p.role.Rules {
			if slices.Contains(rule.Resources, "*") || slices.Contains(rule.Verbs, "*") || slices.Contains(rule.Resources, "secrets") {
				t.Errorf("%s: the rule %v is too wide", name, rule)
			}
			for _, verb := range rule.Verbs {
				reviews := rule.APIGroups[0] == "authentication.k8s.io" || rule.APIGroups[0] == "authorization.k8s.io"
				if !slices.Contains([]string{"get", "list", "watch"}, verb) && !(verb == "create" && reviews) {
					t.Errorf("%s: the rule %v lets it write", name, rule)
				}
			}
		}
	}
}

// recorder is a proxy in front of an API server that notes what is asked, as "VERB resource.group", and what of it is refused.
type recorder struct {
	*httptest.Server
	mu             sync.Mutex
	asked, refused map[string]bool
}

func record(t *testing.T, config *rest.Config) *recorder {
	t.Helper()
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{asked: map[string]bool{}, refused: map[string]bool{}}
	r.Server = httptest.NewTLSServer(&httputil.ReverseProxy{Transport: transport, FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ModifyResponse: func(response *http.Response) error {
			if what := question(response.Request); what != "" {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.asked[what] = true
				if response.StatusCode == http.StatusForbidden {
					r.refused[what] = true
				}
			}
			return nil
		}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }})
	t.Cleanup(r.Close)
	return r
}

// question names a request for objects; empty for discovery.
func question(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group := ""
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, parts = parts[1], parts[3:]
	default:
		return ""
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	verb := "list"
	switch {
	case r.Method == http.MethodPost:
		verb = "create"
	case r.URL.Query().Get("watch") != "":
		verb = "watch"
	case len(parts) > 1:
		verb = "get"
	}
	return verb + " " + parts[0] + "." + group
}

func (r *recorder) list(of map[string]bool) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sets.List(sets.KeySet(of))
}

// TestChart_serve: an API server accepts the manifests, with a pod that restricted pod security admits; serve started with the arguments
// and the account of the chart asks for nothing that its role does not allow but what docs/serve.md names, uses every rule of the role, and
// answers probes and users within their rights.
func TestChart_serve(t *testing.T) {
	oneAtATime(t)
	b, config := lampBench(t)
	ctx, client := t.Context(), kubernetes.NewForConfigOrDie(config)
	plain := readFile(t, plainServe)
	parts := decodeServe(t, plain)
	install := func() error {
		for _, o := range manifests(t, plain) {
			u := &unstructured.Unstructured{Object: o.Content}
			m, err := b.Mapper.RESTMapping(u.GroupVersionKind().GroupKind(), u.GroupVersionKind().Version)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Client.Resource(m.Resource).Namespace(u.GetNamespace()).Apply(ctx, u.GetName(), u,
				metav1.ApplyOptions{FieldManager: "chart-test", Force: true}); err != nil {
				return fmt.Errorf("%s/%s: %w", u.GetKind(), u.GetName(), err)
			}
		}
		return nil
	}
	err := install()
	for end := time.Now().Add(5 * time.Minute); apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) &&
		time.Now().Before(end); err = install() {
		time.Sleep(200 * time.Millisecond) // another test has deleted the namespace, and it is not gone yet
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		background := context.Background()
		_ = client.RbacV1().ClusterRoles().Delete(background, parts.role.Name, metav1.DeleteOptions{})
		_ = client.RbacV1().ClusterRoleBindings().Delete(background, parts.bound.Name, metav1.DeleteOptions{})
		_ = client.AppsV1().Deployments("tristate-system").Delete(background, parts.deployment.Name, metav1.DeleteOptions{})
	})
	b.Until(func() ([]unstructured.Unstructured, error) {
		list, err := b.Client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace("tristate-system").List(ctx,
			metav1.ListOptions{})
		return list.Items, err
	}, func(u unstructured.Unstructured) bool {
		return u.GetLabels()["app.kubernetes.io/name"] == "tristate-serve"
	})
	tokenOf := func(namespace, name string) string {
		t.Helper()
		token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return token.Status.Token
	}
	// Objects that lead to the kinds that are read only where one leads there; the rule for lamps is one that the value serve.read adds.
	for _, text := range strings.Split(serveObjects, "\n---\n") {
		b.Create(strings.ReplaceAll(text, "NAMESPACE", b.Namespace))
	}

	r := record(t, config)
	file := clitest.Kubeconfig(t, &rest.Config{Host: r.URL, BearerToken: tokenOf("tristate-system", parts.account.Name),
		TLSClientConfig: rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})}}, "", "")
	args := []string{}
	for _, arg := range parts.deployment.Spec.Template.Spec.Containers[0].Args {
		arg = strings.Replace(arg, "--address=:8080", "--address=127.0.0.1:0", 1)
		args = append(args, strings.Replace(arg, "--history=/history", "--history="+filepath.Join(t.TempDir(), "history"), 1))
	}
	s := clitest.Start(t, time.Now, false, append(args, "--kubeconfig", file)...)
	address := strings.TrimSpace(s.See("http://"))
	answers(b, strings.TrimPrefix(address, "http://")+"healthz")
	answers(b, strings.TrimPrefix(address, "http://")+"readyz")

	allowed := permissions(parts.role.Rules)
	denied := []string{"configmaps.", "secrets."}           // of which only metadata would be read
	seldom := []string{"networkpolicies.networking.k8s.io"} // read where a connection fails
	other := []string{"lamps." + lamps}                     // the test allows it itself
	of := func(list []string, what string) bool {
		_, resource, _ := strings.Cut(what, " ")
		return slices.Contains(list, resource)
	}
	reader := tokenOf(b.Namespace, "reader")
	for _, query := range []string{"objects?namespace=" + b.Namespace, "why?id=/Pod/" + b.Namespace + "/app", "history?id=/Pod/" +
		b.Namespace + "/app", "at?time=48h"} {
		if status, body := get(t, address+"api/v1/"+query, reader); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", query, status, body)
		}
	}
	var unused []string
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		asked := sets.New(r.list(r.asked)...)
		used := func(what string) bool { // a server that streams lists is asked to watch alone
			resource, lists := strings.CutPrefix(what, "list ")
			return asked.Has(what) || lists && asked.Has("watch "+resource) || of(seldom, what)
		}
		if unused = slices.DeleteFunc(slices.Clone(allowed), used); len(unused) == 0 {
			break
		}
	}
	if len(unused) > 0 {
		t.Errorf("the role allows what was not asked for: %q", unused)
	}
	for _, what := range r.list(r.asked) {
		if !slices.Contains(allowed, what) && !of(denied, what) && !of(other, what) {
			t.Errorf("the role does not allow %s", what)
		}
	}
	for _, what := range r.list(r.refused) {
		if slices.Contains(allowed, what) {
			t.Errorf("%s is refused", what)
		}
	}
	for path, want := range map[string]int{"api/v1/about": http.StatusUnauthorized, "metrics": http.StatusUnauthorized, "": http.StatusOK} {
		if status, body := get(t, address+path, ""); status != want {
			t.Errorf("/%s without a token: status %d: %s", path, status, body)
		}
	}
	if status, _ := get(t, address+"metrics", reader); status != http.StatusForbidden {
		t.Errorf("metrics for a reader of one namespace: status %d", status)
	}
	if status, body := get(t, address+"metrics", tokenOf(b.Namespace, "scraper")); status != http.StatusOK ||
		!strings.Contains(string(body), `tristate_objects{cluster="",group="",kind="Pod"`) {
		t.Errorf("metrics for who may get /metrics: status %d: %.400s", status, body)
	}
}

// serveObjects are a pod whose claim, class and account are looked at, what selects it, and two users: one may read the namespace, one the
// metrics.
const serveObjects = `{apiVersion: v1, kind: ServiceAccount, metadata: {name: reader}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: reader}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: reader, namespace: NAMESPACE}]}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: scraper}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: chart-serve-scraper}, rules: [{nonResourceURLs: [/metrics], verbs: [get]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: chart-serve-scraper}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: chart-serve-scraper}, subjects: [{kind: User, name: "system:serviceaccount:NAMESPACE:scraper"}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: chart-serve-lamps}, rules: [{apiGroups: [` + lamps +
	`], resources: [lamps], verbs: [list, watch]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: chart-serve-lamps}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: chart-serve-lamps}, subjects: [{kind: ServiceAccount, name: tristate-serve, namespace: tristate-system}]}
---
{apiVersion: ` + lamps + `/v1, kind: Lamp, metadata: {name: hall}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: absent, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: app, labels: {app: app}}, spec: {serviceAccountName: reader, containers: [{name: app, image: app}], volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: app}, spec: {selector: {app: app}, ports: [{port: 80}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: app}, spec: {ingressClassName: absent, defaultBackend: {service: {name: app, port: {number: 80}}}}}`
