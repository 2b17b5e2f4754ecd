// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// exampleSteps are the steps of the comparison with definitions of the shapes that kro ships as examples and that need no cloud: a server
// with its configuration and permissions, defaults, an Ingress that is asked for, tenants, Jobs, and conditions of one's own.
func exampleSteps(t *testing.T) []step {
	t.Helper()
	dns := rgd(t, "dns", "NameServer", `spec: {zone: 'string | default="example.org"', outcome: 'string | default="ready"'}`, `
- id: account
  template: {apiVersion: v1, kind: ServiceAccount, metadata: {name: "${schema.metadata.name}"}}
- id: role
  template:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata: {name: "system:${schema.metadata.name}"}
    rules: [{apiGroups: [""], resources: [services, pods, namespaces], verbs: [list, watch]}]
- id: binding
  template:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata: {name: "system:${schema.metadata.name}"}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "${role.metadata.name}"}
    subjects: [{kind: ServiceAccount, name: "${account.metadata.name}", namespace: default}]
- id: config
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {zones: "${schema.spec.zone}"}}
`+deployment("server", "${config.metadata.name}", "")+`
- id: service
  template:
    apiVersion: v1
    kind: Service
    metadata: {name: "${schema.metadata.name}"}
    spec: {selector: "${server.spec.selector.matchLabels}", ports: [{name: dns, port: 53, protocol: UDP}]}`)
	names := instance(t, "NameServer", "names", "")
	something := rgd(t, "something", "Something",
		`spec: {required: 'integer | required=true', count: 'integer | default=100', words: '[]string | default=["a","b"]', config: {field: 'integer | default=200'}}`, `
- id: copy
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {count: "${string(schema.spec.count)}", field: "${string(schema.spec.config.field)}", words: "${schema.spec.words.join('')}"}}`)
	little := instance(t, "Something", "little", "required: 15, config: {}")
	site := rgd(t, "site", "Site", `spec: {ingress: 'boolean | default=false', outcome: 'string | default="ready"'}`,
		deployment("web", "${schema.metadata.name}", "")+`
- id: service
  template: {apiVersion: v1, kind: Service, metadata: {name: "${schema.metadata.name}"}, spec: {selector: "${web.spec.selector.matchLabels}", ports: [{port: 80}]}}
- id: ingress
  includeWhen: ["${schema.spec.ingress}"]
  template:
    apiVersion: networking.k8s.io/v1
    kind: Ingress
    metadata: {name: "${schema.metadata.name}"}
    spec: {rules: [{http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: "${service.metadata.name}", port: {number: 80}}}}]}}]}`)
	home := instance(t, "Site", "home", "")
	way := object("networking.k8s.io/v1", "Ingress", "default", "home")
	space := rgd(t, "tenant-space", "TenantSpace", `spec: {tenant: string}`, `
- id: space
  template: {apiVersion: v1, kind: Namespace, metadata: {name: "${schema.spec.tenant}"}}
- id: settings
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "${space.metadata.name}"}, data: {tenant: "${schema.spec.tenant}"}}`)
	app := rgd(t, "tenant-app", "TenantApp", `spec: {tenant: string, outcome: 'string | default="ready"'}`, `
- id: web
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web, namespace: "${schema.spec.tenant}"}
    spec:
      selector: {matchLabels: {app: web}}
      replicas: 1
      template:
        metadata: {labels: {app: web}, annotations: {localplane.tristate.dev/outcome: "${schema.spec.outcome}"}}
        spec: {containers: [{name: web, image: nginx}]}
- id: service
  template: {apiVersion: v1, kind: Service, metadata: {name: web, namespace: "${schema.spec.tenant}"}, spec: {selector: "${web.spec.selector.matchLabels}", ports: [{port: 80}]}}`)
	tenant := rgd(t, "tenant", "Tenant", fields, `
- id: space
  template: {apiVersion: kro.run/v1alpha1, kind: TenantSpace, metadata: {name: "${schema.metadata.name}"}, spec: {tenant: "${schema.metadata.name}"}}
- id: app
  template: {apiVersion: kro.run/v1alpha1, kind: TenantApp, metadata: {name: "${schema.metadata.name}"}, spec: {tenant: "${space.spec.tenant}", outcome: "${schema.spec.outcome}"}}`)
	acme := instance(t, "Tenant", "acme", "outcome: hang")
	acmes := objects(object("v1", "Namespace", "", "acme"), object("apps/v1", "Deployment", "acme", "web"))
	runs := rgd(t, "run", "Run", `spec: {outcome: 'string | default="fail"'}`, `
- id: job
  template:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: "${schema.metadata.name}"}
    spec:
      backoffLimit: 0
      template:
        metadata: {annotations: {localplane.tristate.dev/outcome: "${schema.spec.outcome}"}}
        spec: {restartPolicy: Never, containers: [{name: t, image: busybox}]}`)
	once := instance(t, "Run", "once", "")
	database, orders := file(t, "database"), instance(t, "Database", "orders", "")
	state := decode(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: orders-state, namespace: default}, data: {mode: fast, reachable: "True", overdue: "True"}}`)
	lost := rgd(t, "lost-status", "LostStatus", fields+"\nstatus: {address: \"${config.nosuchfield}\"}", `- id: config
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}"}, data: {a: b}}`)
	return []step{
		{
			name: "a name server with its configuration and permissions",
			do: func(t *testing.T, s *side) {
				s.permit(t, "kro-roles", []string{"rbac.authorization.k8s.io"}) // kro has it already
				makes(dns, names)(t, s)
			},
			at: names,
			needs: objects(
				object("apps/v1", "Deployment", "default", "names"),
				object("v1", "Service", "default", "names"),
				object("v1", "ConfigMap", "default", "names"),
				object("v1", "ServiceAccount", "default", "names"),
				object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "system:names"),
				object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", "system:names"),
			),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:   "defaults fill what an instance leaves out",
			do:     makes(something, little),
			at:     little,
			needs:  objects(object("v1", "ConfigMap", "default", "little")),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
			check: func(t *testing.T, s *side) {
				s.eventually(t, func() error {
					data, _, _ := unstructured.NestedStringMap(s.read(t, object("v1", "ConfigMap", "default", "little")).Object, "data")
					if data["count"] != "100" || data["field"] != "200" || data["words"] != "ab" {
						return fmt.Errorf("the ConfigMap has %v", data)
					}
					return nil
				})
			},
		},
		{
			name:   "an Ingress that nobody asks for",
			do:     makes(site, home),
			at:     home,
			needs:  objects(object("apps/v1", "Deployment", "default", "home"), object("v1", "Service", "default", "home")),
			ours:   cells("True AllReady", "resources.kro.run/ingress", "True Excluded"),
			theirs: cells("True Ready"),
		},
		{
			name:   "an Ingress is asked for and has no address",
			do:     set(home, true, "ingress"),
			at:     home,
			needs:  objects(way),
			ours:   cells("Unknown Progressing", "resources.kro.run/ingress", "Unknown Progressing"),
			theirs: cells("True Ready"),
			status: "InProgress ChildInProgress",
		},
		{
			name: "a controller gives it an address",
			do: func(t *testing.T, s *side) {
				s.eventually(t, func() error {
					o := s.read(t, way)
					if o == nil {
						return fmt.Errorf("there is no Ingress")
					}
					_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{"ip": "192.0.2.1"}}, "status", "loadBalancer", "ingress")
					return s.API.Status().Update(t.Context(), o)
				})
			},
			at:     home,
			needs:  objects(way),
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:   "definitions of the parts of a tenant",
			do:     makes(space, app),
			at:     app,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:   "a definition of tenants that have these parts",
			do:     makes(tenant),
			at:     tenant,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
		},
		{
			name:   "a tenant whose Deployment has 0 of 1 pods",
			do:     makes(acme),
			at:     acme,
			needs:  acmes,
			ours:   cells("Unknown Progressing"),
			theirs: cells("True Ready"),
			status: "InProgress ChildInProgress",
		},
		{
			name:   "the pods of the tenant come up",
			do:     set(acme, "ready", "outcome"),
			at:     acme,
			needs:  acmes,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:   "a Job of a graph fails",
			do:     makes(runs, once),
			at:     once,
			person: true,
			ours:   cells("False Failed"),
			theirs: cells("True Ready"),
			status: "Failed ChildFailed",
		},
		{
			name:   "a definition that says which conditions count",
			do:     makes(database),
			at:     database,
			ours:   cells("True AllReady"),
			theirs: cells("True Ready", "GraphAccepted", "True"),
			check: func(t *testing.T, s *side) {
				const annotation = "tristate.dev/conditions"
				want, _, _ := unstructured.NestedString(database.Object, "spec", "schema", "metadata", "annotations", annotation)
				stored, _, _ := unstructured.NestedString(s.read(t, database).Object, "spec", "schema", "metadata", "annotations", annotation)
				made := s.read(t, object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "databases.kro.run"))
				if want == "" || stored != want || made.GetAnnotations()[annotation] != want {
					t.Errorf("%s: the declaration is %q in the definition and %q in the CustomResourceDefinition, want %q", s.name, stored,
						made.GetAnnotations()[annotation], want)
				}
			},
		},
		{
			name:   "a condition that counts is bad",
			do:     makes(state, orders),
			at:     orders,
			person: true,
			ours:   cells("False Aged", "BackupOverdue", "True Aged", "CostEstimated", "False NoPrice"),
			theirs: cells("", "BackupOverdue", "True Aged"),
		},
		{
			name: "only one that informs is bad",
			do: func(t *testing.T, s *side) {
				s.edit(t, state, func(u *unstructured.Unstructured) {
					_ = unstructured.SetNestedField(u.Object, "False", "data", "overdue")
				})
			},
			at:         orders,
			ours:       cells("True AllReady", "CostEstimated", "False NoPrice"),
			mayBeFalse: []string{"BackupOverdue", "CostEstimated"},
			theirs:     cells("", "BackupOverdue", "False Aged"),
		},
		{
			name:    "the status refers to a field that is not there",
			do:      makes(lost),
			at:      lost,
			person:  true,
			ours:    cells("False GraphInvalid"),
			theirs:  cells("False InvalidResourceGraph"),
			message: "nosuchfield",
		},
	}
}
