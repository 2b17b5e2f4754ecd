// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// said returns the judgement in the fields of an object; without the field verdict it is Current.
func said(o *relation.Object) relation.Judgement {
	j := relation.Judgement{Verdict: "Current", Ready: true}
	if word, ok := o.Content["verdict"].(string); ok {
		j.Verdict, j.Ready = verdict.Status(word), false
	}
	j.Reason, _ = o.Content["reason"].(string)
	j.Message, _ = o.Content["message"].(string)
	return j
}

// drawn returns a tree as text: a line for each node, with its edge.
func drawn(n *relation.Node) string {
	var b strings.Builder
	var draw func(n *relation.Node, indent string)
	draw = func(n *relation.Node, indent string) {
		fmt.Fprintf(&b, "%s%s/%s", indent, n.Kind, n.Name)
		if n.Edge != "" {
			fmt.Fprintf(&b, " (%s)", n.Edge)
		}
		if n.Missing() {
			b.WriteString(" missing")
		}
		if n.Again {
			b.WriteString(" again")
		}
		b.WriteString("\n")
		for _, child := range n.Children {
			draw(child, indent+"  ")
		}
	}
	if n != nil {
		draw(n, "")
	}
	return b.String()
}

// world puts YAML documents into a graph, in any order, and returns the name of the first.
func world(t testing.TB, g *relation.Graph, text string) relation.ID {
	t.Helper()
	var objects []*relation.Object
	for _, document := range strings.Split(strings.TrimSpace(text), "\n") {
		o := object(t, document)
		if o.Namespace == "" && o.Content["cluster"] == nil {
			o.Content["metadata"].(map[string]any)["namespace"] = "a"
			o = relation.FromContent(o.Content)
		}
		objects = append(objects, o)
	}
	root := objects[0].ID
	rand.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	for _, o := range objects {
		g.Put(o)
	}
	return root
}

const owned = `ownerReferences: [{apiVersion: %s, kind: %s, name: %s}]`

func by(apiVersion, kind, name string) string { return fmt.Sprintf(owned, apiVersion, kind, name) }

func TestWellKnown(t *testing.T) {
	tests := map[string]struct {
		objects string // the first is the root
		up, all bool
		want    string
	}{
		"workloads by owner": {objects: `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, ` + by("apps/v1", "Deployment", "web") + `}}
{apiVersion: v1, kind: Pod, metadata: {name: web-1-x, ` + by("apps/v1", "ReplicaSet", "web-1") +
			`}, spec: {serviceAccountName: default, nodeName: n1}}
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}`, want: `
Deployment/web
  ReplicaSet/web-1 (owner)
    Pod/web-1-x (owner)`},
		"a ReplicaSet that is kept for a rollback is left out": {objects: `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {deployment.kubernetes.io/revision: "2"}}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, annotations: {deployment.kubernetes.io/revision: "1"}, ` + by("apps/v1",
			"Deployment", "web") + `}, spec: {replicas: 0}, status: {replicas: 0}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-2, annotations: {deployment.kubernetes.io/revision: "2"}, ` + by("apps/v1",
			"Deployment", "web") + `}, spec: {replicas: 0}, status: {replicas: 0}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-0, annotations: {deployment.kubernetes.io/revision: "0"}, ` + by("apps/v1",
			"Deployment", "web") + `}, spec: {replicas: 0}, status: {replicas: 1}}`, want: `
Deployment/web
  ReplicaSet/web-0 (owner)
  ReplicaSet/web-2 (owner)`},
		"what is above a workload": {up: true, objects: `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {labels: {app: web}}}}}
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: scaler}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: budget}, spec: {selector: {matchLabels: {app: web}}}}
{apiVersion: v1, kind: Service, metadata: {name: front}, spec: {selector: {app: web}}}
{apiVersion: v1, kind: Service, metadata: {name: other}, spec: {selector: {app: other}}}`, want: `
Deployment/web
  HorizontalPodAutoscaler/scaler (scales)
  PodDisruptionBudget/budget (selector)
  Service/front (selector)`},
		"what a pod only uses shows with all": {all: true, objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {serviceAccountName: default, nodeName: n1, imagePullSecrets: [{name: pull}], volumes: [{configMap: {name: c}}, {secret: {secretName: s}}, {projected: {sources: [{configMap: {name: kube-root-ca.crt}}, {secret: {name: token}}]}}], containers: [{envFrom: [{configMapRef: {name: e}}], env: [{valueFrom: {secretKeyRef: {name: v}}}]}]}}
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}
{apiVersion: v1, kind: Node, metadata: {name: n1}, cluster: true}
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: e}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt}}
{apiVersion: v1, kind: Secret, metadata: {name: pull}}
{apiVersion: v1, kind: Secret, metadata: {name: s}}
{apiVersion: v1, kind: Secret, metadata: {name: token}}
{apiVersion: v1, kind: Secret, metadata: {name: v}}`, want: `
Pod/p
  ConfigMap/c (volume)
  ConfigMap/e (environment)
  Node/n1 (node)
  Secret/pull (image pull secret)
  Secret/s (volume)
  Secret/token (volume)
  Secret/v (environment)
  ServiceAccount/default (service account)`},
		"missing configuration shows where the pod is not fine": {objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p}, verdict: Failed, spec: {volumes: [{configMap: {name: gone}}, {configMap: {name: perhaps, optional: true}}, {configMap: {name: there}}, {secret: {secretName: unread}}]}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: there}}`, want: `
Pod/p
  ConfigMap/gone (volume) missing`},
		"missing configuration of a pod that is fine": {objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{configMap: {name: gone}}, {configMap: {name: perhaps, optional: true}}, {configMap: {name: there}}]}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: there}}`, want: `
Pod/p
  ConfigMap/gone (volume) missing`},
		"missing configuration of a pod that has succeeded": {objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{configMap: {name: gone}}]}, status: {phase: Succeeded}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: there}}`, want: `
Pod/p`},
		"a missing class of a claim that is bound": {objects: `
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {storageClassName: manual}}
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: other}, cluster: true}`, want: `
PersistentVolumeClaim/c`},
		"missing configuration of a workload that has no pods": {objects: `
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 0, template: {spec: {serviceAccountName: nope, containers: [{envFrom: [{secretRef: {name: gone}}]}]}}}}
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}`, want: `
StatefulSet/db
  Secret/gone (template) missing
  ServiceAccount/nope (template) missing`},
		"an issuer without the secret of its authority": {objects: `
{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c}, verdict: InProgress, spec: {secretName: tls, issuerRef: {name: ca}}}
{apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: ca}, verdict: Failed, spec: {ca: {secretName: gone}}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}`, want: `
Certificate/c
  Issuer/ca (issuer)
    Secret/gone (secret) missing`},
		"a challenge whose issuer cannot write to the DNS": {objects: `
{apiVersion: acme.cert-manager.io/v1, kind: Challenge, metadata: {name: c}, verdict: InProgress, spec: {issuerRef: {name: acme}}}
{apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: acme}, verdict: Failed, spec: {acme: {privateKeySecretRef: {name: key}, solvers: [{dns01: {cloudflare: {apiTokenSecretRef: {name: token, key: t}}}}]}}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}`, want: `
Challenge/c
  Issuer/acme (issuer)
    Secret/token (solver) missing`},
		"an issuer of the cluster without its token": {objects: `
{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: vault}, cluster: true, verdict: Failed, spec: {vault: {auth: {tokenSecretRef: {name: token, key: t}}}}}
{apiVersion: v1, kind: Secret, metadata: {name: token}}
{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: cert-manager}}`, want: `
ClusterIssuer/vault
  Secret/token (secret) missing`},
		"an issuer of the cluster and its token": {objects: `
{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: vault}, cluster: true, verdict: Failed, spec: {vault: {auth: {tokenSecretRef: {name: token, key: t}}}}}
{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: cert-manager}}`, want: `
ClusterIssuer/vault`},
		"a source that cannot log in": {objects: `
{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: g}, verdict: Failed, spec: {secretRef: {name: gone}}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}`, want: `
GitRepository/g
  Secret/gone (secret) missing`},
		"a secret from a store of the cluster": {objects: `
{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: e}, verdict: Failed, spec: {secretStoreRef: {kind: ClusterSecretStore, name: vault}}}
{apiVersion: external-secrets.io/v1, kind: ClusterSecretStore, metadata: {name: vault}, cluster: true, verdict: Failed}`, want: `
ExternalSecret/e
  ClusterSecretStore/vault (store)`},
		"a topic of a cluster that is down": {objects: `
{apiVersion: kafka.strimzi.io/v1beta2, kind: KafkaTopic, metadata: {name: t, labels: {strimzi.io/cluster: k}}, verdict: Failed}
{apiVersion: kafka.strimzi.io/v1beta2, kind: Kafka, metadata: {name: k}, verdict: Failed}`, want: `
KafkaTopic/t
  Kafka/k (cluster)`},
		"a backup of a database that is down": {objects: `
{apiVersion: postgresql.cnpg.io/v1, kind: Backup, metadata: {name: b}, verdict: Failed, spec: {cluster: {name: db}}}
{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: db}, verdict: Failed, spec: {superuserSecret: {name: gone}}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}`, want: `
Backup/b
  Cluster/db (cluster)
    Secret/gone (secret) missing`},
		"a machine without its disk": {objects: `
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vm}, verdict: Failed, spec: {template: {spec: {volumes: [{persistentVolumeClaim: {claimName: gone}}, {dataVolume: {name: dv}}]}}}}
{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {name: dv}, verdict: Failed}
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: other}}`, want: `
VirtualMachine/vm
  DataVolume/dv (volume)
  PersistentVolumeClaim/gone (volume) missing`},
		"what a certificate writes is not followed": {objects: `
{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: c}, verdict: InProgress, spec: {secretName: tls}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}`, want: `
Certificate/c`},
		"a release without its values": {objects: `
{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: r}, verdict: Failed, spec: {valuesFrom: [{kind: ConfigMap, name: gone}, {kind: Secret, name: hidden}, {kind: ConfigMap, name: perhaps, optional: true}]}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}`, want: `
HelmRelease/r
  ConfigMap/gone (values) missing
  Secret/hidden (values) missing`},
		"a Kustomization without what it substitutes": {objects: `
{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: k}, verdict: Failed, spec: {decryption: {secretRef: {name: age}}, postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}}}
{apiVersion: v1, kind: Secret, metadata: {name: other}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}`, want: `
Kustomization/k
  ConfigMap/vars (values) missing
  Secret/age (secret) missing`},
		"a node may be why": {objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p}, verdict: Failed, spec: {nodeName: n1, serviceAccountName: s}}
{apiVersion: v1, kind: ServiceAccount, metadata: {name: s}, verdict: InProgress}
{apiVersion: v1, kind: Node, metadata: {name: n1}, cluster: true, verdict: Failed}`, want: `
Pod/p
  Node/n1 (node)`},
		"storage": {objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{persistentVolumeClaim: {claimName: c}}]}}
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, verdict: InProgress, spec: {volumeName: v, storageClassName: slow}}
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, cluster: true, spec: {claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: a, name: c}}}
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, cluster: true}`, want: `
Pod/p
  PersistentVolumeClaim/c (volume)
    PersistentVolume/v (volume)
    StorageClass/slow (class) missing`},
		"service": {objects: `
{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: web, more: x}}}
{apiVersion: v1, kind: Pod, metadata: {name: other, labels: {app: db}}}
{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: b, labels: {app: web}}}
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s-1, labels: {kubernetes.io/service-name: s}}, endpoints: [{targetRef: {kind: Pod, namespace: a, name: p}}]}`, want: `
Service/s
  EndpointSlice/s-1 (endpoints)
  Pod/p (selector)`},
		"a service without a selector": {objects: `
{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {}}
{apiVersion: v1, kind: Pod, metadata: {name: p}}`, want: `
Service/s`},
		"disruption budget": {objects: `
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchExpressions: [{key: app, operator: In, values: [web, db]}]}}}
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: web}}}
{apiVersion: v1, kind: Pod, metadata: {name: q, labels: {app: no}}}`, want: `
PodDisruptionBudget/b
  Pod/p (selector)`},
		"ingress": {objects: `
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {rules: [{http: {paths: [{backend: {service: {name: s}}}, {backend: {service: {name: gone}}}]}}]}}
{apiVersion: v1, kind: Service, metadata: {name: s}}`, want: `
Ingress/i
  Service/gone (backend) missing
  Service/s (backend)`},
		"gateway": {objects: `
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}}
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r, namespace: b}, verdict: Failed, spec: {parentRefs: [{name: g, namespace: a}], rules: [{backendRefs: [{name: s}]}]}}
{apiVersion: v1, kind: Service, metadata: {name: s, namespace: b}}`, want: `
Gateway/g
  HTTPRoute/r (route)
    Service/s (backend)`},
		"autoscaler": {objects: `
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: s}}}
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}}`, want: `
HorizontalPodAutoscaler/h
  StatefulSet/s (scales)`},
		"bindings": {objects: `
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: s, namespace: b}, {kind: User, name: jo, apiGroup: rbac.authorization.k8s.io}]}
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: view}, cluster: true}
{apiVersion: v1, kind: ServiceAccount, metadata: {name: s, namespace: b}}`, want: `
RoleBinding/b
  ClusterRole/view (role)
  ServiceAccount/s (subject)`},
		"webhooks and API services": {objects: `
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w}, cluster: true, webhooks: [{clientConfig: {service: {namespace: a, name: s}}}, {clientConfig: {service: {namespace: a, name: gone}}}]}
{apiVersion: v1, kind: Service, metadata: {name: s}}`, want: `
ValidatingWebhookConfiguration/w
  Service/gone (webhook) missing
  Service/s (webhook)`},
		"inventory of Flux": {objects: `
{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: k}, spec: {sourceRef: {kind: GitRepository, name: g}}, status: {inventory: {entries: [{id: b_web_apps_Deployment, v: v1}, {id: _view__all_rbac.authorization.k8s.io_ClusterRole, v: v1}, {id: b_gone_apps_Deployment}, {id: nonsense}]}}}
{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: g}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: b}}
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "view:all"}, cluster: true}
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: b, labels: {kustomize.toolkit.fluxcd.io/name: k, kustomize.toolkit.fluxcd.io/namespace: a}}}`, want: `
Kustomization/k
  ClusterRole/view:all (inventory)
  ConfigMap/c (label)
  Deployment/gone (inventory) missing
  Deployment/web (inventory)
  GitRepository/g (source)`},
		"Helm release": {objects: `
{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, metadata: {name: sh.helm.release.v1.web.v2, labels: {owner: helm, name: web, status: deployed}}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: a}}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: other, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: b}}}`, want: `
Secret/sh.helm.release.v1.web.v2
  Deployment/web (release)`},
		"release of Flux": {objects: `
{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: r}, status: {helmChart: b/a-r}}
{apiVersion: source.toolkit.fluxcd.io/v1, kind: HelmChart, metadata: {name: a-r, namespace: b}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: c, labels: {helm.toolkit.fluxcd.io/name: r, helm.toolkit.fluxcd.io/namespace: a}}}`, want: `
HelmRelease/r
  Deployment/web (label)
  HelmChart/a-r (chart)`},
		"Argo CD application": {objects: `
{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: app}, status: {resources: [{version: v1, kind: Service, namespace: b, name: s}, {group: apps, version: v1, kind: Deployment, namespace: b, name: web}]}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: b}}
{apiVersion: v1, kind: Service, metadata: {name: s, namespace: b}}`, want: `
Application/app
  Deployment/web (resources)
  Service/s (resources)`},
		"apply set": {objects: `
{apiVersion: v1, kind: ConfigMap, metadata: {name: set, labels: {applyset.kubernetes.io/id: x}}}
{apiVersion: v1, kind: Service, metadata: {name: s, labels: {applyset.kubernetes.io/part-of: x}}}`, want: `
ConfigMap/set
  Service/s (apply set)`},
		"kro instance": {objects: `
{apiVersion: kro.run/v1alpha1, kind: WebApp, metadata: {name: w, uid: u1}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, labels: {kro.run/instance-id: u1}}}`, want: `
WebApp/w
  Deployment/w (instance)`},
		"references of unknown kinds, cluster-scoped and in circles": {objects: `
{apiVersion: example.org/v1, kind: XBucket, metadata: {name: x}, cluster: true, spec: {claimRef: {apiVersion: example.org/v1, kind: Bucket, namespace: a, name: b}, resourceRefs: [{apiVersion: s3.example.org/v1, kind: Store, name: s}, {apiVersion: s3.example.org/v1, kind: Store, name: gone}, {apiVersion: s3.example.org/v1, kind: Store}]}}
{apiVersion: example.org/v1, kind: Bucket, metadata: {name: b}, spec: {resourceRef: {apiVersion: example.org/v1, kind: XBucket, name: x}}}
{apiVersion: s3.example.org/v1, kind: Store, metadata: {name: s}, cluster: true, spec: {back: {kind: XBucket, name: x, apiGroup: example.org}}}`, want: `
XBucket/x
  Store/gone (resourceRefs) missing
  Store/s (resourceRefs)
    XBucket/x (back) again`},
		"what keeps a namespace": {objects: `
{apiVersion: v1, kind: Namespace, metadata: {name: a, deletionTimestamp: "2026-01-02T03:04:05Z"}, cluster: true, verdict: Terminating}
{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: [a.b/c]}, verdict: Terminating}
{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, namespace: b, deletionTimestamp: "2026-01-02T03:04:05Z"}, verdict: Terminating}`,
			want: `
Namespace/a
  ConfigMap/kept (remains)`},
		"upwards": {up: true, objects: `
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: web}, ` + by("apps/v1", "ReplicaSet", "r") + `}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, ` + by("apps/v1", "Deployment", "d") + `}}
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}
{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {defaultBackend: {service: {name: s}}}}`, want: `
Pod/p
  ReplicaSet/r (owner)
    Deployment/d (owner)
  Service/s (selector)
    Ingress/i (backend)`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for range 3 { // in any order of arrival
				g := relation.New(nil)
				root := world(t, g, test.objects)
				v := relation.View{Graph: g, Judge: said, Up: test.up, All: test.all}
				if diff := cmp.Diff(strings.TrimSpace(test.want)+"\n", drawn(v.Build(root))); diff != "" {
					t.Fatalf("-want +got\n%s", diff)
				}
			}
		})
	}
}

// TestWellKnown_andDeclared: the relations that users declare for a kind are added to the well-known ones.
func TestWellKnown_andDeclared(t *testing.T) {
	g := relation.New(set(t, `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: deployments.apps}
spec:
  for: {group: apps, kind: Deployment}
  relations:
    database: {kind: Database.example.dev, ref: "self.metadata.annotations['example.dev/database']", meaning: The database that it needs.}
    guards: {kind: Guard.example.dev, refBy: item.spec.workload, tree: below}
`))
	root := world(t, g, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {example.dev/database: gone}}}
{apiVersion: example.dev/v1, kind: Guard, metadata: {name: g}, spec: {workload: web}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, `+by("apps/v1", "Deployment", "web")+`}}`)
	want := `Deployment/web
  Database/gone (database) missing
  Guard/g (guards)
  ReplicaSet/web-1 (owner)
`
	if diff := cmp.Diff(want, drawn(relation.Build(g, root, said))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTops(t *testing.T) {
	g := relation.New(nil)
	world(t, g, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, `+by("apps/v1", "Deployment", "web")+`}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
{apiVersion: example.org/v1, kind: Circle, metadata: {name: a}, spec: {ref: {apiVersion: example.org/v1, kind: Circle, name: b}}}
{apiVersion: example.org/v1, kind: Circle, metadata: {name: b}, spec: {ref: {apiVersion: example.org/v1, kind: Circle, name: a}}}
{apiVersion: example.org/v1, kind: Own, metadata: {name: o, `+by("example.org/v1", "Own", "o")+`}}`)
	var all []relation.ID
	for _, o := range g.All() {
		all = append(all, o.ID)
	}
	var got []string
	for _, id := range (&relation.View{Graph: g, Judge: said}).Tops(all) {
		got = append(got, id.Kind+"/"+id.Name)
	}
	if diff := cmp.Diff([]string{"ConfigMap/c", "Deployment/web", "Circle/a", "Own/o"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWanted(t *testing.T) {
	gk := schema.ParseGroupKind
	tests := map[string]struct {
		objects string
		up      bool
		want    []relation.ID
	}{
		"a workload": {objects: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}`,
			want: []relation.ID{{GroupKind: gk("ReplicaSet.apps"), Namespace: "a"}}},
		"a pod that is fine": {objects: `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {serviceAccountName: s, volumes: [{persistentVolumeClaim: {claimName: c}}]}}`,
			want: []relation.ID{{GroupKind: gk("PersistentVolumeClaim"), Namespace: "a"}}},
		"a pod that is not": {objects: `{apiVersion: v1, kind: Pod, metadata: {name: p}, verdict: Failed, spec: {serviceAccountName: s, volumes: [{configMap: {name: c}}]}}`,
			want: []relation.ID{{GroupKind: gk("ConfigMap"), Namespace: "a"}, {GroupKind: gk("ServiceAccount"), Namespace: "a"}}},
		"an inventory": {objects: `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: app}, status: {resources: [{kind: Service, namespace: b, name: s}, {group: apps, kind: Deployment, namespace: c, name: web}]}}`,
			want: []relation.ID{{GroupKind: gk("Service"), Namespace: "b"}, {GroupKind: gk("Deployment.apps"), Namespace: "c"}}},
		"an apply set": {objects: `{apiVersion: v1, kind: Secret, metadata: {name: set, labels: {applyset.kubernetes.io/id: x}, annotations: {applyset.kubernetes.io/contains-group-kinds: "ConfigMap,Deployment.apps"}}}`,
			want: []relation.ID{{GroupKind: gk("ConfigMap")}, {GroupKind: gk("Deployment.apps")}}},
		"a kind of which nothing is known": {objects: `{apiVersion: example.org/v1, kind: Thing, metadata: {name: t}}`,
			want: []relation.ID{{GroupKind: gk("Pod"), Namespace: "a"}}},
		"upwards": {up: true, objects: `{apiVersion: v1, kind: ServiceAccount, metadata: {name: s, ` + by("example.org/v1", "Thing", "t") + `}}`,
			want: []relation.ID{{GroupKind: gk("Pod"), Namespace: "a"}, {GroupKind: gk("DaemonSet.apps"), Namespace: "a"},
				{GroupKind: gk("ReplicaSet.apps"), Namespace: "a"},
				{GroupKind: gk("StatefulSet.apps"), Namespace: "a"}, {GroupKind: gk("Application.argoproj.io"), Namespace: "a"},
				{GroupKind: gk("HorizontalPodAutoscaler.autoscaling"), Namespace: "a"}, {GroupKind: gk("Job.batch"), Namespace: "a"},
				{GroupKind: gk("EndpointSlice.discovery.k8s.io"), Namespace: "a"},
				{GroupKind: gk("Thing.example.org"), Namespace: "a"}, {GroupKind: gk("ClusterRoleBinding.rbac.authorization.k8s.io"), Namespace: "a"},
				{GroupKind: gk("RoleBinding.rbac.authorization.k8s.io"), Namespace: "a"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := relation.New(nil)
			root := world(t, g, test.objects)
			v := relation.View{Graph: g, Judge: said, Up: test.up,
				Candidates: func(schema.GroupKind) []schema.GroupKind { return []schema.GroupKind{gk("Pod")} }}
			if diff := cmp.Diff(test.want, v.Wanted([]relation.ID{root})); diff != "" {
				t.Fatalf("-want +got\n%s", diff)
			}
			for _, w := range v.Wanted([]relation.ID{root}) {
				g.Cover(w.GroupKind, w.Namespace)
			}
			if got := v.Wanted([]relation.ID{root}); len(got) != 0 {
				t.Errorf("what is covered is not wanted again: %v", got)
			}
		})
	}
}

// TestNeeded: of what healthy objects refer to, the kinds are wanted whose objects have to exist.
func TestNeeded(t *testing.T) {
	gk := schema.ParseGroupKind
	accounts := relation.ID{GroupKind: gk("ServiceAccount"), Namespace: "a"}
	secrets := relation.ID{GroupKind: gk("Secret"), Namespace: "a"}
	const spec = `spec: {serviceAccountName: s, nodeName: n, volumes: [{secret: {secretName: x}}, {configMap: {name: perhaps, optional: true}}]}`
	tests := map[string]struct {
		objects string
		up      bool
		want    []relation.ID
	}{
		"a pod that is fine": {objects: `{apiVersion: v1, kind: Pod, metadata: {name: p}, ` + spec + `}`,
			want: []relation.ID{secrets, accounts}},
		"a pod that is not":        {objects: `{apiVersion: v1, kind: Pod, metadata: {name: p}, verdict: Failed, ` + spec + `}`},
		"a pod that has succeeded": {objects: `{apiVersion: v1, kind: Pod, metadata: {name: p}, ` + spec + `, status: {phase: Succeeded}}`},
		"upwards":                  {up: true, objects: `{apiVersion: v1, kind: Pod, metadata: {name: p}, ` + spec + `}`},
		"a ReplicaSet that is kept for a rollback": {
			objects: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, uid: u, annotations: {deployment.kubernetes.io/revision: "2"}}}
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, annotations: {deployment.kubernetes.io/revision: "1"}, ` + by("apps/v1",
				"Deployment", "d") + `}, spec: {replicas: 0, template: {` + spec + `}}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := relation.New(nil)
			root := world(t, g, test.objects)
			v := relation.View{Graph: g, Judge: said, Up: test.up}
			got := v.Needed([]relation.ID{root})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatalf("-want +got\n%s", diff)
			}
			for _, w := range got {
				g.Cover(w.GroupKind, w.Namespace)
			}
			if again := v.Needed([]relation.ID{root}); len(again) != 0 {
				t.Errorf("what is covered is needed again: %v", again)
			}
		})
	}
}
