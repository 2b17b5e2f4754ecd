// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"os"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/export"
	"github.com/tristate/tristate/internal/export/argocd"
	"github.com/tristate/tristate/internal/export/columns"
	"github.com/tristate/tristate/internal/export/flux"
	"github.com/tristate/tristate/internal/export/grafana"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/internal/export/metrics"
	"github.com/tristate/tristate/internal/export/policy"
)

// consumers are the tools for which gen writes what they read, in the order of the help. A new one is a value here, a package below
// internal/export, and a page in docs/exports.
var consumers = []consumer{
	{
		name:  "argocd",
		short: "Health checks in Lua for Argo CD",
		long: "Write health checks for Argo CD: as a patch of argocd-cm with a key for each kind, as a patch of the object that " +
			"argocd-operator reads, or as files. A check needs no library of Lua, and its " +
			"answers are those of tristate status, except for the differences that --differences lists.",
		example: "  tristate gen argocd Certificate.cert-manager.io Issuer.cert-manager.io | kubectl -n argocd patch cm argocd-cm --type merge " +
			"--patch-file /dev/stdin\n" +
			"  tristate gen argocd ToolPolicy.kars.azure.com --form files --out health/",
		add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			form := flags.String("form", argocd.ConfigMap, "form: configmap, operator or files")
			return func(subjects []*export.Subject) (*export.Product, error) { return argocd.Generate(subjects, *form) }
		},
	},
	{
		name:  "flux",
		short: "Health checks in CEL for Flux",
		long: "Write the list spec.healthCheckExprs of a Kustomization or a HelmRelease of Flux, with which it waits for objects of these " +
			"kinds. Its answers are those of tristate " +
			"status in the three words of Flux, except for the differences that --differences lists.",
		example: "  tristate gen flux Certificate.cert-manager.io Issuer.cert-manager.io",
		add: func(*pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			return flux.Generate
		},
	},
	{
		name:  "kstatus",
		short: "The conditions with which plain kstatus is right",
		long: "Write the states of a kind on which plain kstatus is wrong, with the condition that an author adds so that it is right: " +
			"Reconciling or Stalled. Helm and Flux wait with " +
			"kstatus. --differences lists the states for which no condition could.",
		example: "  tristate gen kstatus ToolPolicy.kars.azure.com",
		add: func(*pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			return kstatus.Generate
		},
	},
	{
		name:    "metrics",
		short:   "Series for kube-state-metrics, and rules and alerts for Prometheus",
		instead: "the metric tristate_objects of tristate serve has the verdict of every kind",
		long: "Write a CustomResourceState configuration for kube-state-metrics with the role that it needs, recording rules that classify " +
			"conditions, and alerts, as a plain file and as " +
			"a PrometheusRule. Severity, waiting time and remedy come from the catalog. The number of series is reported.",
		example: "  tristate gen metrics ToolPolicy.kars.azure.com --out monitoring/\n  tristate gen metrics Cluster.cluster.x-k8s.io " +
			"Machine.cluster.x-k8s.io --per reason --objects 20000 --out monitoring/",
		add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			o := metrics.Options{}
			flags.StringVar(&o.Prefix, "prefix", "kube_customresource", "prefix of the metrics of kube-state-metrics")
			flags.StringVar(&o.Job, "job", "kube-state-metrics", "label job of kube-state-metrics, for the alert that it is down")
			flags.StringVar(&o.Per, "per", metrics.PerObject, "what an alert is about: object, or reason, which counts the objects of a namespace")
			flags.BoolVar(&o.Helm, "helm", false, "escape the templates of Prometheus, for files of a Helm chart")
			flags.IntVar(&o.Objects, "objects", 1000, "number of objects of a kind for the estimate")
			return func(subjects []*export.Subject) (*export.Product, error) { return metrics.Generate(subjects, o) }
		},
	},
	{
		name:    "grafana",
		short:   "A dashboard for Grafana over the series of gen metrics",
		instead: "the metric tristate_objects of tristate serve has the verdict of every kind",
		long: "Write a dashboard for Grafana 10 and later, as JSON that can be imported or provisioned, over the series that the rules of " +
			"gen metrics record.",
		example: "  tristate gen grafana ToolPolicy.kars.azure.com --out monitoring/",
		add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			o := grafana.Options{}
			flags.StringVar(&o.Prefix, "prefix", "kube_customresource", "prefix of the metrics of kube-state-metrics")
			flags.StringVar(&o.Title, "title", "Conditions", "title of the dashboard")
			return func(subjects []*export.Subject) (*export.Product, error) { return grafana.Generate(subjects, o) }
		},
	},
	{
		name:    "columns",
		short:   "Printer columns and a schema of conditions for CustomResourceDefinitions",
		instead: "tristate status shows the verdict of every kind",
		long: "Write JSON patches that add printer columns, and a schema of the list of conditions, to a version of a CustomResourceDefinition, " +
			"for kubectl and kustomize; or markers for controller-gen. A patch tests first that the version is at its place, and that it has the " +
			"columns and the schema that --definition has, which stay, or without it neither.",
		example: "  tristate gen columns ToolPolicy.kars.azure.com --definition crd.yaml --out crd/\n  tristate gen columns ToolPolicy.kars.azure.com --form markers",
		add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			o := columns.Options{}
			flags.StringVar(&o.Form, "form", columns.Patch, "form: patch or markers")
			flags.StringSliceVar(&o.Versions, "versions", nil, "the versions of the definition in order, where the catalog has another order or none")
			files := flags.StringSlice("definition", nil, "file with the definition that is patched, whose columns and schema stay")
			return func(subjects []*export.Subject) (*export.Product, error) {
				var err error
				if o.Definitions, err = documents(*files); err != nil {
					return nil, err
				}
				return columns.Generate(subjects, o)
			}
		},
	},
	{
		name:    "policy",
		short:   "ValidatingAdmissionPolicies that report undeclared conditions when a status is written",
		instead: "declare the conditions of the kind in a catalog: tristate infer drafts one",
		long: "Write a ValidatingAdmissionPolicy with its binding on the status of each kind: undeclared types and cells, transitions that are " +
			"not allowed, foreign writers. It warns and " +
			"audits; with --deny it refuses, and a controller whose write is refused repeats it for ever.",
		example: "  tristate gen policy ToolPolicy.kars.azure.com | kubectl apply -f -\n" +
			"  tristate gen policy ToolPolicy.kars.azure.com --deny --user system:serviceaccount:kars-system:kars-operator",
		add: func(flags *pflag.FlagSet) func([]*export.Subject) (*export.Product, error) {
			o := policy.Options{}
			flags.BoolVar(&o.Deny, "deny", false, "refuse a write instead of warning and auditing")
			flags.StringSliceVar(&o.Writers, "user", nil, "the only users that may write the status")
			flags.StringSliceVar(&o.Exempt, "exempt", nil, "users whose writes are not looked at")
			flags.StringVar(&o.Resource, "resource", "", "resource of the kind, such as toolpolicies (default: by the name of the catalog)")
			return func(subjects []*export.Subject) (*export.Product, error) { return policy.Generate(subjects, o) }
		},
	},
}

// documents returns the objects of YAML files.
func documents(files []string) ([]map[string]any, error) {
	var out []map[string]any
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, ok := read(data)
		if !ok {
			return nil, exit.Usagef("--definition %s: it has documents that are not objects of Kubernetes", name)
		}
		for _, d := range list {
			if m, is := d.(map[string]any); is {
				out = append(out, m)
			}
		}
	}
	return out, nil
}
