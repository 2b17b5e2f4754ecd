// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// way is how a well-known relation joins two objects.
type way uint8

const (
	owner     way = iota // owner references of item name self; a row only names the kinds to read
	refers               // fields of self name item: by name, or as {kind, name} with or without apiVersion, apiGroup, group and namespace
	named                // fields of item name self
	selects              // a label selector of self matches item; both stand in one namespace
	matches              // the same, with a map of labels; an empty one matches nothing
	inventory            // fields of self hold namespace_name_group_kind
	shares               // a mark of self (see marks) is that of item
	contains             // self is a namespace that is being deleted, item is in it and is being deleted too
)

// row is one relation that holds without a catalog.
type row struct {
	from string // Kind.group; empty: of any kind
	name string // of the edge
	way  way
	at   string // the fields, separated by spaces; [] goes through a list
	to   string // Kind.group, after NAMESPACE/ if a cluster-scoped self refers to objects in it; empty: that of the reference, or any kind
	show show
}

// show is when a tree shows an edge.
type show uint8

const (
	below   show = iota // always, as self owns it
	trouble             // if item, which self reads, does not exist, or is broken and self is unhealthy
	passing             // the same where self is unhealthy: it has read item once and goes on without it
	output              // if everything is to be shown: self writes it, and it explains nothing
	hidden              // only in a tree that goes up
)

// showOf returns when a tree shows the objects of a declared relation.
func showOf(l *catalog.Link) show {
	switch {
	case l.Role == "reads":
		return trouble
	case l.Role == "writes":
		return output
	case !l.Below:
		return hidden
	}
	return below
}

const (
	claims  = "PersistentVolumeClaim"
	account = "ServiceAccount"
	gateway = "Gateway.gateway.networking.k8s.io"
	podEnv  = "spec.containers[].env[].valueFrom. spec.initContainers[].env[].valueFrom."
	// The secrets that issuers of cert-manager read in their namespace.
	issuerSecrets = "spec.ca spec.vault.auth.tokenSecretRef spec.vault.auth.appRole.secretRef spec.vault.auth.kubernetes.secretRef spec.vault.caBundleSecretRef " +
		"spec.venafi.tpp.credentialsRef spec.venafi.cloud.apiTokenSecretRef spec.acme.externalAccountBinding.keySecretRef"
	// The secrets that their solvers read for DNS providers.
	solver        = "spec.acme.solvers[].dns01."
	solverSecrets = solver + "cloudflare.apiTokenSecretRef " + solver + "cloudflare.apiKeySecretRef " + solver + "route53.secretAccessKeySecretRef " +
		solver + "route53.accessKeyIDSecretRef " + solver + "azureDNS.clientSecretSecretRef " + solver + "digitalocean.tokenSecretRef " +
		solver + "cloudDNS.serviceAccountSecretRef " + solver + "acmeDNS.accountSecretRef " + solver + "rfc2136.tsigSecretSecretRef " +
		solver + "akamai.clientTokenSecretRef " + solver + "akamai.clientSecretSecretRef " + solver + "akamai.accessTokenSecretRef"
	podFroms = "spec.containers[].envFrom[]. spec.initContainers[].envFrom[]."
	// The namespace in which cert-manager reads the secrets of a ClusterIssuer by default.
	issuerNamespace = "cert-manager"
	postgres        = "Cluster.postgresql.cnpg.io"
	postgresBackup  = "spec.backup.barmanObjectStore.s3Credentials."
)

// rows is the table. A catalog declares the same with relations, which come first.
func rows() []row {
	all := []row{
		// workloads
		{"Deployment.apps", "owner", owner, "", "ReplicaSet.apps", below},
		{"ReplicaSet.apps", "owner", owner, "", "Pod", below},
		{"StatefulSet.apps", "owner", owner, "", "Pod", below},
		{"StatefulSet.apps", "service", refers, "spec.serviceName", "Service", trouble},
		{"DaemonSet.apps", "owner", owner, "", "Pod", below},
		{"ReplicationController", "owner", owner, "", "Pod", below},
		{"CronJob.batch", "owner", owner, "", "Job.batch", below},
		{"Job.batch", "owner", owner, "", "Pod", below},
		{"HorizontalPodAutoscaler.autoscaling", "scales", refers, "spec.scaleTargetRef", "", below},
		{"PodDisruptionBudget.policy", "selector", selects, "spec.selector", "Pod", below},
		{"ScaledObject.keda.sh", "scales", refers, "spec.scaleTargetRef", "Deployment.apps", below},
		// pods
		{"Pod", "volume", refers, "spec.volumes[].persistentVolumeClaim", claims, below},
		{"Pod", "volume", refers, "spec.volumes[].configMap spec.volumes[].projected.sources[].configMap", "ConfigMap", trouble},
		{"Pod", "volume", refers, "spec.volumes[].secret spec.volumes[].projected.sources[].secret", "Secret", trouble},
		{"Pod", "environment", refers, suffixed(podEnv, "configMapKeyRef") + " " + suffixed(podFroms, "configMapRef"), "ConfigMap", trouble},
		{"Pod", "environment", refers, suffixed(podEnv, "secretKeyRef") + " " + suffixed(podFroms, "secretRef"), "Secret", trouble},
		{"Pod", "image pull secret", refers, "spec.imagePullSecrets[]", "Secret", trouble},
		{"Pod", "service account", refers, "spec.serviceAccountName", account, trouble},
		{"Pod", "node", refers, "spec.nodeName", "Node", passing},
		{account, "image pull secret", refers, "imagePullSecrets[]", "Secret", trouble},
		// storage
		{claims, "volume", refers, "spec.volumeName", "PersistentVolume", below},
		{claims, "class", refers, "spec.storageClassName", "StorageClass.storage.k8s.io", passing},
		{"PersistentVolume", "claim", refers, "spec.claimRef", claims, hidden},
		{claims, "data source", refers, "spec.dataSource spec.dataSourceRef", "VolumeSnapshot.snapshot.storage.k8s.io", passing},
		{"PersistentVolume", "attachment", named, "spec.source.persistentVolumeName", "VolumeAttachment.storage.k8s.io", below},
		{"VolumeAttachment.storage.k8s.io", "volume", refers, "spec.source.persistentVolumeName", "PersistentVolume", hidden},
		{"VolumeSnapshot.snapshot.storage.k8s.io", "content", refers, "status.boundVolumeSnapshotContentName spec.source.volumeSnapshotContentName",
			"VolumeSnapshotContent.snapshot.storage.k8s.io", below},
		{"VolumeSnapshot.snapshot.storage.k8s.io", "claim", refers, "spec.source.persistentVolumeClaimName", claims, passing},
		{"VolumeAttachment.storage.k8s.io", "node", refers, "spec.nodeName", "Node", passing},
		// network
		{"Service", "selector", matches, "spec.selector", "Pod", below},
		{"Service", "owner", owner, "", "EndpointSlice.discovery.k8s.io", below},
		{"Service", "endpoints", shares, "service-name", "EndpointSlice.discovery.k8s.io", below},
		{"EndpointSlice.discovery.k8s.io", "endpoint", refers, "endpoints[].targetRef", "", passing},
		{"Ingress.networking.k8s.io", "backend", refers, "spec.defaultBackend.service spec.rules[].http.paths[].backend.service", "Service", below},
		{"Ingress.networking.k8s.io", "certificate", refers, "spec.tls[]", "Secret", trouble},
		{"Ingress.networking.k8s.io", "class", refers, "spec.ingressClassName", "IngressClass.networking.k8s.io", trouble},
		{"NetworkPolicy.networking.k8s.io", "selector", selects, "spec.podSelector", "Pod", hidden},
		{gateway, "class", refers, "spec.gatewayClassName", "GatewayClass.gateway.networking.k8s.io", trouble},
		{gateway, "service", shares, "gateway-name", "Service", below},
		{gateway, "certificate", refers, "spec.listeners[].tls.certificateRefs[]", "Secret", trouble},
		// access
		{"RoleBinding.rbac.authorization.k8s.io", "role", refers, "roleRef", "", below},
		{"RoleBinding.rbac.authorization.k8s.io", "subject", refers, "subjects[]", account, below},
		{"ClusterRoleBinding.rbac.authorization.k8s.io", "role", refers, "roleRef", "", below},
		{"ClusterRoleBinding.rbac.authorization.k8s.io", "subject", refers, "subjects[]", account, below},
		// extensions of the API server
		{"APIService.apiregistration.k8s.io", "service", refers, "spec.service", "Service", below},
		{"CustomResourceDefinition.apiextensions.k8s.io", "conversion", refers, "spec.conversion.webhook.clientConfig.service", "Service", below},
		{"ValidatingWebhookConfiguration.admissionregistration.k8s.io", "webhook", refers, "webhooks[].clientConfig.service", "Service", below},
		{"MutatingWebhookConfiguration.admissionregistration.k8s.io", "webhook", refers, "webhooks[].clientConfig.service", "Service", below},
		// certificates
		{"Certificate.cert-manager.io", "owner", owner, "", "CertificateRequest.cert-manager.io", below},
		{"Certificate.cert-manager.io", "issuer", refers, "spec.issuerRef", "Issuer.cert-manager.io", trouble},
		{"Certificate.cert-manager.io", "secret", refers, "spec.secretName", "Secret", output},
		{"CertificateRequest.cert-manager.io", "owner", owner, "", "Order.acme.cert-manager.io", below},
		{"CertificateRequest.cert-manager.io", "issuer", refers, "spec.issuerRef", "Issuer.cert-manager.io", passing},
		{"Issuer.cert-manager.io", "secret", refers, issuerSecrets, "Secret", trouble},
		{"Issuer.cert-manager.io", "solver", refers, solverSecrets, "Secret", trouble},
		{"Issuer.cert-manager.io", "account key", refers, "spec.acme.privateKeySecretRef", "Secret", output},
		{"ClusterIssuer.cert-manager.io", "secret", refers, issuerSecrets, issuerNamespace + "/Secret", trouble},
		{"ClusterIssuer.cert-manager.io", "solver", refers, solverSecrets, issuerNamespace + "/Secret", trouble},
		{"ClusterIssuer.cert-manager.io", "account key", refers, "spec.acme.privateKeySecretRef", issuerNamespace + "/Secret", output},
		{"Order.acme.cert-manager.io", "issuer", refers, "spec.issuerRef", "Issuer.cert-manager.io", passing},
		{"Challenge.acme.cert-manager.io", "issuer", refers, "spec.issuerRef", "Issuer.cert-manager.io", passing},
		{"Order.acme.cert-manager.io", "owner", owner, "", "Challenge.acme.cert-manager.io", below},
		{"Gateway.networking.istio.io", "certificate", refers, "spec.servers[].tls.credentialName", "Secret", trouble},
		// secrets from elsewhere
		{"ExternalSecret.external-secrets.io", "secret", refers, "spec.target.name", "Secret", output},
		{"ExternalSecret.external-secrets.io", "store", refers, "spec.secretStoreRef", "SecretStore.external-secrets.io", trouble},
		{"PushSecret.external-secrets.io", "store", refers, "spec.secretStoreRefs[]", "SecretStore.external-secrets.io", trouble},
		{"SecretStore.external-secrets.io", "secret", refers, "spec.provider.vault.auth.tokenSecretRef spec.provider.aws.auth.secretRef.accessKeyIDSecretRef " +
			"spec.provider.aws.auth.secretRef.secretAccessKeySecretRef spec.provider.gcpsm.auth.secretRef.secretAccessKeySecretRef " +
			"spec.provider.azurekv.authSecretRef.clientId spec.provider.azurekv.authSecretRef.clientSecret", "Secret", trouble},
		// databases, queues, machines, runs
		{postgres, "secret", refers, "spec.superuserSecret spec.bootstrap.initdb.secret " + postgresBackup + "accessKeyId " + postgresBackup + "secretAccessKey", "Secret", trouble},
		{"Backup.postgresql.cnpg.io", "cluster", refers, "spec.cluster", postgres, passing},
		{"ScheduledBackup.postgresql.cnpg.io", "cluster", refers, "spec.cluster", postgres, trouble},
		{"Pooler.postgresql.cnpg.io", "cluster", refers, "spec.cluster", postgres, trouble},
		{"Database.postgresql.cnpg.io", "cluster", refers, "spec.cluster", postgres, trouble},
		{"KafkaTopic.kafka.strimzi.io", "cluster", shares, "strimzi-cluster", "Kafka.kafka.strimzi.io", trouble},
		{"KafkaUser.kafka.strimzi.io", "cluster", shares, "strimzi-cluster", "Kafka.kafka.strimzi.io", trouble},
		{"KafkaRebalance.kafka.strimzi.io", "cluster", shares, "strimzi-cluster", "Kafka.kafka.strimzi.io", trouble},
		{"KafkaConnector.kafka.strimzi.io", "cluster", shares, "strimzi-cluster", "KafkaConnect.kafka.strimzi.io", trouble},
		{"VirtualMachine.kubevirt.io", "volume", refers, "spec.template.spec.volumes[].persistentVolumeClaim", claims, trouble},
		{"VirtualMachine.kubevirt.io", "volume", refers, "spec.template.spec.volumes[].dataVolume", "DataVolume.cdi.kubevirt.io", trouble},
		{"ScaledObject.keda.sh", "authentication", refers, "spec.triggers[].authenticationRef", "TriggerAuthentication.keda.sh", trouble},
		{"ScaledJob.keda.sh", "authentication", refers, "spec.triggers[].authenticationRef", "TriggerAuthentication.keda.sh", trouble},
		{"Rollout.argoproj.io", "workload", refers, "spec.workloadRef", "Deployment.apps", trouble},
		{"Backup.velero.io", "storage location", refers, "spec.storageLocation", "BackupStorageLocation.velero.io", trouble},
		{"Restore.velero.io", "backup", refers, "spec.backupName", "Backup.velero.io", passing},
		{"BackupStorageLocation.velero.io", "credential", refers, "spec.credential", "Secret", trouble},
		{"Kafka.kafka.strimzi.io", "pods", shares, "strimzi-members", "StrimziPodSet.core.strimzi.io", below},
		{"StrimziPodSet.core.strimzi.io", "pods", shares, "strimzi-pods", "Pod", below},
		{"NodePool.karpenter.sh", "class", refers, "spec.template.spec.nodeClassRef", "EC2NodeClass.karpenter.k8s.aws", trouble},
		{"NodeClaim.karpenter.sh", "class", refers, "spec.nodeClassRef", "EC2NodeClass.karpenter.k8s.aws", trouble},
		{"Job.batch", "owner", owner, "", "Workload.kueue.x-k8s.io", below},
		{"Workload.kueue.x-k8s.io", "queue", refers, "spec.queueName", "LocalQueue.kueue.x-k8s.io", trouble},
		{"LocalQueue.kueue.x-k8s.io", "queue", refers, "spec.clusterQueue", "ClusterQueue.kueue.x-k8s.io", trouble},
		{"ClusterQueue.kueue.x-k8s.io", "flavor", refers, "spec.resourceGroups[].flavors[].name", "ResourceFlavor.kueue.x-k8s.io", trouble},
		{"ClusterQueue.kueue.x-k8s.io", "check", refers, "spec.admissionChecks[]", "AdmissionCheck.kueue.x-k8s.io", trouble},
		{"Cluster.cluster.x-k8s.io", "class", refers, "spec.topology.class spec.topology.classRef", "ClusterClass.cluster.x-k8s.io", trouble},
		{"Subscription.operators.coreos.com", "catalog", shares, "olm-catalog", "CatalogSource.operators.coreos.com", trouble},
		{"Subscription.operators.coreos.com", "plan", refers, "status.installPlanRef", "InstallPlan.operators.coreos.com", below},
		{"Subscription.operators.coreos.com", "version", refers, "status.currentCSV status.installedCSV", "ClusterServiceVersion.operators.coreos.com", below},
		{"CatalogSource.operators.coreos.com", "pods", shares, "olm-pods", "Pod", below},
		// inventories
		{"Kustomization.kustomize.toolkit.fluxcd.io", "inventory", inventory, "status.inventory.entries[].id", "", below},
		{"Kustomization.kustomize.toolkit.fluxcd.io", "label", shares, "flux-kustomize", "", below},
		{"Kustomization.kustomize.toolkit.fluxcd.io", "source", refers, "spec.sourceRef", "GitRepository.source.toolkit.fluxcd.io", below},
		{"Kustomization.kustomize.toolkit.fluxcd.io", "depends on", refers, "spec.dependsOn[]", "Kustomization.kustomize.toolkit.fluxcd.io", trouble},
		{"Kustomization.kustomize.toolkit.fluxcd.io", "secret", refers, "spec.decryption.secretRef spec.kubeConfig.secretRef", "Secret", trouble},
		{"Kustomization.kustomize.toolkit.fluxcd.io", "values", refers, "spec.postBuild.substituteFrom[]", "ConfigMap", trouble},
		{"HelmRelease.helm.toolkit.fluxcd.io", "secret", refers, "spec.kubeConfig.secretRef", "Secret", trouble},
		{"HelmRelease.helm.toolkit.fluxcd.io", "values", refers, "spec.valuesFrom[]", "ConfigMap", trouble},
		{"HelmRelease.helm.toolkit.fluxcd.io", "inventory", inventory, "status.inventory.entries[].id", "", below},
		{"HelmRelease.helm.toolkit.fluxcd.io", "label", shares, "flux-helm", "", below},
		{"HelmRelease.helm.toolkit.fluxcd.io", "chart", refers, "spec.chartRef", "OCIRepository.source.toolkit.fluxcd.io", below},
		{"HelmRelease.helm.toolkit.fluxcd.io", "source", refers, "spec.chart.spec.sourceRef", "HelmRepository.source.toolkit.fluxcd.io", below},
		{"HelmRelease.helm.toolkit.fluxcd.io", "chart", refers, "status.helmChart", "HelmChart.source.toolkit.fluxcd.io", below},
		{"HelmRelease.helm.toolkit.fluxcd.io", "depends on", refers, "spec.dependsOn[]", "HelmRelease.helm.toolkit.fluxcd.io", trouble},
		{"HelmChart.source.toolkit.fluxcd.io", "source", refers, "spec.sourceRef", "HelmRepository.source.toolkit.fluxcd.io", below},
		{"GitRepository.source.toolkit.fluxcd.io", "secret", refers, "spec.secretRef spec.verify.secretRef spec.proxySecretRef", "Secret", trouble},
		{"OCIRepository.source.toolkit.fluxcd.io", "secret", refers, "spec.secretRef spec.certSecretRef spec.verify.secretRef spec.proxySecretRef", "Secret", trouble},
		{"HelmRepository.source.toolkit.fluxcd.io", "secret", refers, "spec.secretRef spec.certSecretRef", "Secret", trouble},
		{"Bucket.source.toolkit.fluxcd.io", "secret", refers, "spec.secretRef spec.certSecretRef spec.proxySecretRef", "Secret", trouble},
		{"Secret", "release", shares, "helm", "", below},
		{"Application.argoproj.io", "resources", refers, "status.resources[]", "", below},
		{"ApplicationSet.argoproj.io", "owner", owner, "", "Application.argoproj.io", below},
		{"Namespace", "remains", contains, "", "", trouble},
		{"", "apply set", shares, "applyset", "", below},
		{"", "instance", shares, "kro", "", below},
	}
	for _, workload := range []string{"ReplicaSet.apps", "StatefulSet.apps", "DaemonSet.apps", "Job.batch"} {
		for _, r := range all {
			if r.from == "Pod" && r.show == trouble && r.way == refers {
				all = append(all, row{workload, template, refers, prefixed("spec.template.", r.at), r.to, trouble})
			}
		}
	}
	for _, route := range []string{"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"} {
		route += ".gateway.networking.k8s.io"
		all = append(all,
			row{gateway, "route", named, "spec.parentRefs[]", route, below},
			row{route, "parent", refers, "spec.parentRefs[]", gateway, trouble},
			row{route, "backend", refers, "spec.rules[].backendRefs[]", "Service", below})
	}
	return all
}

// template is why a workload without pods refers to what its template refers to.
const template = "template"

// prefixed puts a field before every path of a list.
func prefixed(field, paths string) string {
	out := strings.Fields(paths)
	for i := range out {
		out[i] = field + out[i]
	}
	return strings.Join(out, " ")
}

// suffixed appends a field to every path of a list.
func suffixed(paths, field string) string {
	out := strings.Fields(paths)
	for i := range out {
		out[i] += field
	}
	return strings.Join(out, " ")
}

// rule is a row with its kinds and paths parsed.
type rule struct {
	row
	self, item schema.GroupKind
	namespace  string // of item, where self is cluster-scoped
	paths      [][]string
}

// rules returns the table by the kind of self; those of any kind stand under the empty one.
var rules = sync.OnceValue(func() map[schema.GroupKind][]rule {
	out := map[schema.GroupKind][]rule{}
	for _, r := range rows() {
		namespace, to, found := strings.Cut(r.to, "/")
		if !found {
			namespace, to = "", r.to
		}
		parsed := rule{row: r, self: catalog.ParseGroupKind(r.from), item: catalog.ParseGroupKind(to), namespace: namespace}
		for _, path := range strings.Fields(r.at) {
			parsed.paths = append(parsed.paths, strings.Split(strings.ReplaceAll(path, "[]", ".[]"), "."))
		}
		out[parsed.self] = append(out[parsed.self], parsed)
	}
	return out
})

// at calls found for every value that a path leads to.
func at(value any, path []string, found func(any)) {
	if len(path) == 0 {
		if value != nil {
			found(value)
		}
		return
	}
	switch v := value.(type) {
	case map[string]any:
		at(v[path[0]], path[1:], found)
	case []any:
		if path[0] != "[]" {
			return
		}
		for _, item := range v {
			at(item, path[1:], found)
		}
	}
}

// mark is a label or an annotation that the members of an inventory carry. self returns the value for the object that holds the inventory, item that of a member; empty: none.
type mark struct{ self, item func(*Object) string }

// marks returns the marks by their names in the table.
var marks = sync.OnceValue(func() map[string]mark {
	pair := func(group string) mark {
		return mark{
			func(o *Object) string { return o.Namespace + "/" + o.Name },
			func(o *Object) string {
				return joined(o.mark("labels", group+"/namespace"), o.mark("labels", group+"/name"))
			},
		}
	}
	return map[string]mark{
		"flux-kustomize": pair("kustomize.toolkit.fluxcd.io"),
		"flux-helm":      pair("helm.toolkit.fluxcd.io"),
		"strimzi-cluster": { // a label names the cluster that serves it
			func(o *Object) string { return joined(o.Namespace, o.mark("labels", "strimzi.io/cluster")) },
			func(o *Object) string { return o.Namespace + "/" + o.Name },
		},
		"strimzi-members": {
			func(o *Object) string { return joined(o.Namespace, o.Name) },
			func(o *Object) string { return joined(o.Namespace, o.mark("labels", "strimzi.io/cluster")) },
		},
		"strimzi-pods": {
			func(o *Object) string { return joined(o.Namespace, o.Name) },
			func(o *Object) string { return joined(o.Namespace, o.mark("labels", "strimzi.io/controller-name")) },
		},
		"gateway-name": {
			func(o *Object) string { return joined(o.Namespace, o.Name) },
			func(o *Object) string {
				return joined(o.Namespace, o.mark("labels", "gateway.networking.k8s.io/gateway-name"))
			},
		},
		"olm-catalog": { // the subscription names namespace and name in two fields
			func(o *Object) string {
				return joined(textIn(sub(o.Content, "spec"), "sourceNamespace"), textIn(sub(o.Content, "spec"), "source"))
			},
			func(o *Object) string { return joined(o.Namespace, o.Name) },
		},
		"olm-pods": {
			func(o *Object) string { return joined(o.Namespace, o.Name) },
			func(o *Object) string { return joined(o.Namespace, o.mark("labels", "olm.catalogSource")) },
		},
		"service-name": {
			func(o *Object) string { return o.Namespace + "/" + o.Name },
			func(o *Object) string { return joined(o.Namespace, o.mark("labels", "kubernetes.io/service-name")) },
		},
		"helm": { // a release has a secret for each revision; the deployed, failed or pending one represents it
			func(o *Object) string {
				if o.mark("labels", "owner") != "helm" || o.mark("labels", "status") == "superseded" {
					return ""
				}
				return joined(o.Namespace, o.mark("labels", "name"))
			},
			func(o *Object) string {
				return joined(o.mark("annotations", "meta.helm.sh/release-namespace"), o.mark("annotations", "meta.helm.sh/release-name"))
			},
		},
		"applyset": {
			func(o *Object) string { return o.mark("labels", "applyset.kubernetes.io/id") },
			func(o *Object) string { return o.mark("labels", "applyset.kubernetes.io/part-of") },
		},
		"kro": {
			func(o *Object) string { return o.UID },
			func(o *Object) string { return o.mark("labels", "kro.run/instance-id") },
		},
	}
})

func joined(namespace, name string) string {
	if namespace == "" || name == "" {
		return ""
	}
	return namespace + "/" + name
}

// memberRules returns the rules by which an object may be a member of an inventory, by the kind of the member; those for any kind stand under the empty one.
var memberRules = sync.OnceValue(func() map[schema.GroupKind][]rule {
	out := map[schema.GroupKind][]rule{}
	for _, list := range rules() {
		for _, r := range list {
			if r.way == shares && !slices.ContainsFunc(out[r.item], func(other rule) bool { return other.at == r.at }) {
				out[r.item] = append(out[r.item], r)
			}
		}
	}
	return out
})

// markKeys returns the keys of the inventories that an object is a member of.
func markKeys(o *Object) []string {
	var out []string
	for _, gk := range []schema.GroupKind{{}, o.GroupKind} {
		for _, r := range memberRules()[gk] {
			if value := marks()[r.at].item(o); value != "" {
				out = append(out, markKey(r.at, value))
			}
		}
	}
	return out
}

func markKey(mark, value string) string { return "\x00" + mark + "\x00" + value }

// memberKeys returns the keys of the owners of an object and of the inventories that it is a member of, and of a pod its namespace and labels there.
func memberKeys(o *Object) []string {
	out := append(ownerKeys(o), markKeys(o)...)
	if o.GroupKind == podKind {
		out = append(out, labelKey(o.Namespace, ""))
		for key, value := range o.Labels() {
			out = append(out, labelKey(o.Namespace, key+"="+value))
		}
	}
	return out
}

// labelKey is the key of the pods of a namespace with a label, KEY=VALUE, or of all with the empty one.
func labelKey(namespace, label string) string { return "\x00pods\x00" + namespace + "\x00" + label }
