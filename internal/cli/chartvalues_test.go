// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/input"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

const (
	chartFolder   = "../../deploy/chart"
	chartValues   = "testdata/chart/values.yaml"   // every value, with another content than by default
	renderedChart = "testdata/chart/rendered.yaml" // the output of Helm for them and the release edge; written by make gen
)

// renderChart renders templates of the chart, with some values over its defaults. The functions are those of Helm that they use;
// TestChart_everything compares the result with that of Helm.
func renderChart(t *testing.T, release string, values map[string]any, names ...string) string {
	t.Helper()
	files := template.New("chart")
	var include func(string, any) (string, error)
	files.Funcs(template.FuncMap{
		"include":    func(name string, data any) (string, error) { return include(name, data) },
		"contains":   func(part, s string) bool { return strings.Contains(s, part) },
		"trunc":      func(n int, s string) string { return s[:min(n, len(s))] },
		"trimSuffix": func(end, s string) string { return strings.TrimSuffix(s, end) },
		"quote":      strconv.Quote,
		"toJson":     func(v any) string { data, _ := json.Marshal(v); return string(data) },
		"toYaml":     func(v any) string { data, _ := yaml.Marshal(v); return strings.TrimSuffix(string(data), "\n") },
		"list":       func(v ...any) []any { return v }, "append": func(l []any, v any) []any { return append(l, v) },
		"add":       func(a, b any) float64 { return number(a) + number(b) },
		"int":       func(v any) int { n, _ := strconv.Atoi(fmt.Sprint(v)); return n },
		"sha256sum": func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) },
		"default": func(other string, v any) string {
			if s, _ := v.(string); s != "" {
				return s
			}
			return other
		},
		"nindent": func(n int, s string) string {
			return "\n" + strings.Repeat(" ", n) + strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", n))
		},
	})
	include = func(name string, data any) (string, error) {
		var b bytes.Buffer
		err := files.ExecuteTemplate(&b, name, data)
		return strings.TrimSpace(b.String()), err
	}
	if _, err := files.ParseGlob(filepath.Join(chartFolder, "templates", "*")); err != nil {
		t.Fatal(err)
	}
	chart := readYAML(t, filepath.Join(chartFolder, "Chart.yaml"))
	data := map[string]any{"Release": map[string]any{"Name": release, "Namespace": "tristate-system", "Service": "Helm"},
		"Chart":  map[string]any{"AppVersion": chart["appVersion"]},
		"Values": over(readYAML(t, filepath.Join(chartFolder, "values.yaml")), values)}
	var out []string
	for _, name := range names {
		text, err := include(name, data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n---\n")
}

func number(v any) float64 {
	n, _ := strconv.ParseFloat(fmt.Sprint(v), 64)
	return n
}

// over puts values over defaults, as Helm does: maps are merged, anything else is replaced.
func over(defaults, values map[string]any) map[string]any {
	out := maps.Clone(defaults)
	for key, v := range values {
		below, isMap := v.(map[string]any)
		if own, ok := out[key].(map[string]any); ok && isMap {
			v = over(own, below)
		}
		out[key] = v
	}
	return out
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readYAML(t *testing.T, path string) (out map[string]any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(readFile(t, path)), &out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// manifests returns the objects of a text.
func manifests(t *testing.T, text string) []input.Object {
	t.Helper()
	objects, errs := input.Parse("manifests", []byte(text))
	for _, err := range errs {
		t.Fatal(err)
	}
	return objects
}

// byName returns objects by kind and name, without one of their labels and without namespaces.
func byName(t *testing.T, text, label string) map[string]any {
	t.Helper()
	out := map[string]any{}
	var drop func(v any)
	drop = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, label)
			for _, below := range v {
				drop(below)
			}
		case []any:
			for _, below := range v {
				drop(below)
			}
		}
	}
	for _, o := range manifests(t, text) {
		kind, _ := o.Content["kind"].(string)
		meta, _ := o.Content["metadata"].(map[string]any)
		if kind != "Namespace" {
			drop(o.Content)
			out[fmt.Sprint(kind, "/", meta["name"])] = o.Content
		}
	}
	return out
}

// serviceMonitor has the fields of the one of the Prometheus operator that the chart uses.
type serviceMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port     string `json:"port"`
			Interval string `json:"interval"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// everything is one rendering of the chart.
type everything struct {
	configMap    corev1.ConfigMap
	deployment   appsv1.Deployment
	service      corev1.Service
	disruption   policyv1.PodDisruptionBudget
	monitor      serviceMonitor
	account      corev1.ServiceAccount
	clusterRole  rbacv1.ClusterRole
	clusterBound rbacv1.ClusterRoleBinding
	role         rbacv1.Role
	bound        rbacv1.RoleBinding
}

// decode reads a rendering strictly: an unknown field, a duplicate one, a kind that is not expected or is there twice is an error.
func decode(t *testing.T, text string) *everything {
	t.Helper()
	e := &everything{}
	into := map[string]any{"ConfigMap": &e.configMap, "Deployment": &e.deployment, "Service": &e.service, "PodDisruptionBudget": &e.disruption,
		"ServiceMonitor": &e.monitor, "ServiceAccount": &e.account, "ClusterRole": &e.clusterRole, "ClusterRoleBinding": &e.clusterBound,
		"Role": &e.role, "RoleBinding": &e.bound}
	versions := map[string]string{"ConfigMap": "v1", "Deployment": "apps/v1", "Service": "v1", "PodDisruptionBudget": "policy/v1",
		"ServiceMonitor": "monitoring.coreos.com/v1", "ServiceAccount": "v1", "ClusterRole": "rbac.authorization.k8s.io/v1",
		"ClusterRoleBinding": "rbac.authorization.k8s.io/v1", "Role": "rbac.authorization.k8s.io/v1",
		"RoleBinding": "rbac.authorization.k8s.io/v1"}
	for _, document := range strings.Split(text, "\n---\n") {
		var meta runtime.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &meta); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		target, ok := into[meta.Kind]
		if !ok {
			t.Fatalf("%q is there twice, or is not expected\n%s", meta.Kind, document)
		}
		delete(into, meta.Kind)
		if err := yaml.UnmarshalStrict([]byte(document), target); err != nil {
			t.Errorf("%s: %v", meta.Kind, err)
		}
		if meta.APIVersion != versions[meta.Kind] {
			t.Errorf("%s: apiVersion %s", meta.Kind, meta.APIVersion)
		}
	}
	for kind := range into {
		t.Errorf("%s is missing", kind)
	}
	return e
}

// documents returns those of a rendering that are of serve, or the others.
func documents(text string, ofServe bool) string {
	all := strings.Split(strings.TrimPrefix(text, "---\n"), "\n---\n")
	return strings.Join(slices.DeleteFunc(all, func(d string) bool { return strings.Contains(d, "templates/serve.yaml") != ofServe }),
		"\n---\n")
}

// TestChart_everything: each value of the chart does something, each document is valid, and they agree with one another.
func TestChart_everything(t *testing.T) {
	values, text := readYAML(t, chartValues), readFile(t, renderedChart)
	if diff := cmp.Diff(byName(t, text, ""), byName(t, renderChart(t, "edge", values, "controller.yaml", "rbac.yaml", "serve.yaml"),
		"")); diff != "" {
		t.Errorf("what Helm makes of the chart is not what the chart is now: make gen. -Helm +here\n%s", diff)
	}
	const managed = "app.kubernetes.io/managed-by"
	plain := readFile(t, "../../deploy/tristate.yaml")
	if diff := cmp.Diff(byName(t, plain, ""), byName(t, renderChart(t, "tristate", nil, "controller.yaml", "rbac.yaml"),
		managed)); diff != "" {
		t.Errorf("the plain manifests are not the chart by default, without the label %s: make gen. -plain +chart\n%s", managed, diff)
	}

	defaults := readYAML(t, filepath.Join(chartFolder, "values.yaml"))
	for _, key := range slices.Sorted(maps.Keys(defaults)) {
		without := maps.Clone(values)
		delete(without, key)
		if cmp.Equal(byName(t, text, ""), byName(t, renderChart(t, "edge", without, "controller.yaml", "rbac.yaml", "serve.yaml"), "")) {
			t.Errorf("%s: its default makes the same documents as the content in %s", key, chartValues)
		}
	}
	var leaves func(path string, other, own any)
	leaves = func(path string, other, own any) {
		if m, ok := other.(map[string]any); ok && len(m) > 0 {
			for key, v := range m {
				below, _ := own.(map[string]any)
				leaves(path+"."+key, v, below[key])
			}
			return
		}
		if own == nil || cmp.Equal(other, own) {
			t.Errorf("%s: %s has no other content than the default", path, chartValues)
		}
		if scalar := fmt.Sprint(own); !strings.ContainsAny(scalar, "[ ") && scalar != "true" && !strings.Contains(text, scalar) {
			t.Errorf("%s: %s is not in the rendering", path, scalar)
		}
	}
	leaves("values", defaults, values)

	e := decode(t, documents(text, false))
	for _, o := range []metav1.Object{&e.configMap, &e.deployment, &e.service, &e.disruption, &e.monitor, &e.account, &e.clusterRole,
		&e.clusterBound, &e.role, &e.bound} {
		want := "edge-tristate"
		if o == &e.configMap {
			want += "-catalogs"
		}
		if o.GetName() != want || o.GetLabels()["app.kubernetes.io/instance"] != "edge" {
			t.Errorf("%T: name %s, labels %v", o, o.GetName(), o.GetLabels())
		}
		if cluster := o == &e.clusterRole || o == &e.clusterBound; cluster != (o.GetNamespace() == "") {
			t.Errorf("%T: namespace %q", o, o.GetNamespace())
		}
	}
	e.selected(t)
	e.allowed(t)
	e.mounted(t)

	_, args, err := (&cli.App{}).Command().Find(e.container(t).Args)
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := (&cli.App{}).Command().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.ParseFlags(args); err != nil {
		t.Errorf("run: %v", err)
	}
}

func (e *everything) container(t *testing.T) corev1.Container {
	t.Helper()
	if n := len(e.deployment.Spec.Template.Spec.Containers); n != 1 {
		t.Fatalf("%d containers", n)
	}
	return e.deployment.Spec.Template.Spec.Containers[0]
}

// selected: every selector selects its objects, and the ports have the names that refer to them.
func (e *everything) selected(t *testing.T) {
	t.Helper()
	pods := e.deployment.Spec.Template.Labels
	for name, c := range map[string]struct {
		selector *metav1.LabelSelector
		labels   map[string]string
	}{
		"the deployment":        {e.deployment.Spec.Selector, pods},
		"the disruption budget": {e.disruption.Spec.Selector, pods},
		"the service":           {&metav1.LabelSelector{MatchLabels: e.service.Spec.Selector}, pods},
		"the service monitor":   {&e.monitor.Spec.Selector, e.service.Labels},
	} {
		selector, err := metav1.LabelSelectorAsSelector(c.selector)
		if err != nil || selector.Empty() || !selector.Matches(labels.Set(c.labels)) {
			t.Errorf("%s: %s does not select %v (%v)", name, selector, c.labels, err)
		}
	}
	ports := map[string]int32{}
	for _, p := range e.container(t).Ports {
		ports[p.Name] = p.ContainerPort
	}
	if diff := cmp.Diff(map[string]int32{"metrics": 9090, "health": 9091}, ports); diff != "" {
		t.Errorf("ports: %s", diff)
	}
	for _, probe := range []*corev1.Probe{e.container(t).LivenessProbe, e.container(t).ReadinessProbe} {
		if probe.HTTPGet.Port != intstr.FromString("health") {
			t.Errorf("a probe of %s", probe.HTTPGet.Port.String())
		}
	}
	served := e.service.Spec.Ports
	if len(served) != 1 || served[0].TargetPort != intstr.FromString("metrics") || len(e.monitor.Spec.Endpoints) != 1 ||
		e.monitor.Spec.Endpoints[0].Port != served[0].Name {
		t.Errorf("the service monitor reads %+v of %+v", e.monitor.Spec.Endpoints, served)
	}
}

// allowed: the pods run as the account that the roles are bound to.
func (e *everything) allowed(t *testing.T) {
	t.Helper()
	account := e.deployment.Spec.Template.Spec.ServiceAccountName
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Name: account, Namespace: e.deployment.Namespace}}
	if account != e.account.Name {
		t.Errorf("the account of the pods is %s", account)
	}
	for _, bound := range [][]rbacv1.Subject{e.clusterBound.Subjects, e.bound.Subjects} {
		if diff := cmp.Diff(subjects, bound); diff != "" {
			t.Error(diff)
		}
	}
	refs := []rbacv1.RoleRef{{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: e.clusterRole.Name},
		{APIGroup: rbacv1.GroupName, Kind: "Role", Name: e.role.Name}}
	if diff := cmp.Diff(refs, []rbacv1.RoleRef{e.clusterBound.RoleRef, e.bound.RoleRef}); diff != "" {
		t.Error(diff)
	}
}

// mounted: the catalogs are mounted where run looks for them, and are read from a folder laid out as the kubelet does it.
func (e *everything) mounted(t *testing.T) {
	t.Helper()
	spec := e.deployment.Spec.Template.Spec
	if len(spec.Volumes) != 1 || spec.Volumes[0].ConfigMap == nil || spec.Volumes[0].ConfigMap.Name != e.configMap.Name {
		t.Fatalf("volumes: %+v", spec.Volumes)
	}
	mounts := e.container(t).VolumeMounts
	if len(mounts) != 1 || mounts[0].Name != spec.Volumes[0].Name || !slices.Contains(e.container(t).Args, "--catalogs="+mounts[0].MountPath) {
		t.Errorf("mounts %+v, arguments %q", mounts, e.container(t).Args)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "..2026_01_02"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := func(old, name string) {
		if err := os.Symlink(old, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("..2026_01_02", "..data")
	for name, content := range e.configMap.Data {
		if err := os.WriteFile(filepath.Join(folder, "..data", name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		link(filepath.Join("..data", name), name)
	}
	set, err := catalog.LoadFS(os.DirFS(folder), ".")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, k := range set.Kinds() {
		kinds = append(kinds, k.For.String())
	}
	slices.Sort(kinds)
	if diff := cmp.Diff([]string{"Shop.example.com", "Till.example.com"}, kinds); diff != "" {
		t.Error(diff)
	}
}
