// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/export"
)

// The subjects of alerts.
const (
	PerObject = "object" // one object
	PerReason = "reason" // the objects of a kind in a namespace with one reason
)

// Options are the choices of a user.
type Options struct {
	Prefix  string // of the metrics of kube-state-metrics; without one kube_customresource
	Job     string // the label job of kube-state-metrics; without one kube-state-metrics
	Per     string // PerObject or PerReason; without one PerObject
	Helm    bool   // the files go into a Helm chart, which would evaluate Prometheus's templates
	Objects int    // the number of objects of a kind for the estimate; without one 1000
}

// The files of the product.
const (
	ConfigurationFile = "kube-state-metrics.yaml"
	RoleFile          = "kube-state-metrics-role.yaml"
	RulesFile         = "rules.yaml"
	PrometheusRule    = "prometheusrule.yaml"
)

// Generate returns the configuration, the role that it needs, and the rules, as a plain file and as a PrometheusRule. Kinds of which no
// series can be made are left out; if none is left there are no files.
func Generate(subjects []*export.Subject, o Options) (*export.Product, error) {
	o.Prefix, o.Job, o.Per, o.Objects = cmp.Or(o.Prefix, "kube_customresource"), cmp.Or(o.Job, "kube-state-metrics"), cmp.Or(o.Per, PerObject),
		cmp.Or(o.Objects, 1000)
	if o.Per != PerObject && o.Per != PerReason {
		return nil, fmt.Errorf("%q is not what an alert can be about: use %s or %s", o.Per, PerObject, PerReason)
	}
	p := &export.Product{}
	kinds := kindsOf(subjects, p.Differ)
	p.Differences = export.SortDifferences(p.Differences)
	if len(kinds) == 0 {
		return p, nil
	}
	c := configuration{Kind: "CustomResourceStateMetrics"}
	rules := ruleFile{}
	var role strings.Builder
	role.WriteString(export.Header("#", "metrics") + "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: " +
		"kube-state-metrics-" + nameOf(kinds) + "\nrules:\n" +
		"- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  verbs: [list, watch]\n")
	total := 0
	for _, k := range kinds {
		p.Include(k.Subject)
		r := resourceOf(k, o.Prefix)
		c.Spec.Resources = append(c.Spec.Resources, r)
		w := &writer{kind: k, Options: o}
		w.record()
		w.alerts()
		rules.Groups = append(rules.Groups, group{Name: "tristate " + k.Subject.Name(), Rules: w.rules})
		plural, sure := k.Resource()
		fmt.Fprintf(&role, "- apiGroups: [%q]\n  resources: [%s]\n  verbs: [list, watch]\n", k.Subject.For.Group, plural)
		if !sure {
			p.Notes = append(p.Notes, fmt.Sprintf("the role has the resource %s for %s, which is a guess", plural, k.Subject.Name()))
		}
		if k.version() == "*" {
			p.Notes = append(p.Notes, fmt.Sprintf("the catalog of %s names no version: if the kind has several, each has series of its own",
				k.Subject.Name()))
		}
		recorded := len(k.types) + 1
		total += (r.series() + recorded) * o.Objects
		p.Notes = append(p.Notes, fmt.Sprintf("%s: at most %d series an object from kube-state-metrics and %d recorded ones, %d for %d objects",
			k.Subject.Name(), r.series(), recorded, (r.series()+recorded)*o.Objects, o.Objects))
	}
	if len(kinds) > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d series in all", total))
	}
	p.Notes = append(p.Notes, "the rules read the labels namespace and name of the objects: scrape kube-state-metrics with honorLabels: true")
	rules.Groups = append(rules.Groups, exporter(o))
	plain, err := export.Ordered("metrics", rules)
	if err != nil {
		return nil, err
	}
	wrapped, err := export.Ordered("metrics", struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Metadata   map[string]string `yaml:"metadata,flow"`
		Spec       ruleFile          `yaml:"spec"`
	}{"monitoring.coreos.com/v1", "PrometheusRule", map[string]string{"name": "conditions-" + nameOf(kinds)}, rules})
	if err != nil {
		return nil, err
	}
	config, err := export.Ordered("metrics", c)
	if err != nil {
		return nil, err
	}
	if o.Helm {
		plain, wrapped = helm(plain), helm(wrapped)
	}
	p.Files = []export.File{{Name: ConfigurationFile, Data: config}, {Name: RoleFile, Data: []byte(role.String())},
		{Name: RulesFile, Data: plain}, {Name: PrometheusRule, Data: wrapped}}
	return p, nil
}

// nameOf returns the end of the names of objects for kinds, so that files for other kinds do not replace them: the resource of one
// kind, the groups of several.
func nameOf(kinds []*kind) string {
	if len(kinds) == 1 {
		plural, _ := kinds[0].Resource()
		return strings.TrimSuffix(plural+"."+kinds[0].Subject.For.Group, ".")
	}
	var groups []string
	for _, k := range kinds {
		groups = append(groups, cmp.Or(k.Subject.For.Group, "core"))
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	if len(groups) > 3 {
		return fmt.Sprintf("%s-and-%d-groups", groups[0], len(groups)-1)
	}
	return strings.Join(groups, "-")
}

// exporter returns the alert about kube-state-metrics itself.
func exporter(o Options) group {
	return group{Name: "tristate exporter",
		Rules: []rule{{Alert: "TristateExporterDown", For: "5m", Labels: map[string]string{"severity": "critical", "class": "exporter"},
			Expr: fmt.Sprintf("absent(up{job=%q} == 1)", o.Job),
			Annotations: map[string]string{"summary": "kube-state-metrics has not been scraped for 5m",
				"description": "No alert about conditions can fire, and those that fired have resolved without a reason."}}}}
}

// helm escapes the templates of Prometheus, so that Helm leaves them as they are.
func helm(data []byte) []byte {
	return []byte(strings.NewReplacer("{{", "{{`{{`}}", "}}", "{{`}}`}}").Replace(string(data)))
}
