// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// edit breaks one thing of the shop and knows the right answer: KIND/NAME of the object and a word of the field or the value that explains
// it.
type edit struct {
	kind string // row of the table
	do   func(s shop, name string) (object, word string)
	on   string // the services that it can be applied to; empty: all
}

const stateless = "web gateway cart catalog search orders payment ledger mail queue cache"

var nodes = []string{"Node/node-1", "Node/node-2", "Node/node-3"}

var edits = []edit{
	{"Service selector", func(s shop, name string) (string, string) {
		s.set("Service/"+name, "spec.selector.app", name+"-v2")
		s.unserved(name)
		return "Service/" + name, "app"
	}, ""},
	{"Service selector with one more label", func(s shop, name string) (string, string) {
		s.set("Service/"+name, "spec.selector.version", "v2")
		s.unserved(name)
		return "Service/" + name, "version"
	}, ""},
	{"label of the pods", func(s shop, name string) (string, string) {
		for _, object := range append(s.pods(name), "Deployment/"+name, s.owner(name)) {
			if at := "metadata.labels.tier"; strings.HasPrefix(object, "Pod/") {
				s.set(object, at, "shops")
			} else {
				s.set(object, "spec.template."+at, "shops")
			}
		}
		s.unserved(name)
		return "Service/" + name, "tier"
	}, stateless},
	{"targetPort by name", func(s shop, name string) (string, string) {
		s.set("Service/"+name, "spec.ports.0.targetPort", "https")
		return "Service/" + name, "https"
	}, ""},
	{"targetPort by number", func(s shop, name string) (string, string) {
		s.set("Service/"+name, "spec.ports",
			[]any{map[string]any{"name": "http", "port": int64(80), "targetPort": int64(8081), "protocol": "TCP"}})
		return "Service/" + name, "8081"
	}, ""},
	{"protocol of a Service", func(s shop, name string) (string, string) {
		s.set("Service/"+name, "spec.ports.0.protocol", "UDP")
		return "Service/" + name, "UDP"
	}, ""},
	{"name of a container port", func(s shop, name string) (string, string) {
		s.template(name, "ports.0.name", "web-http")
		s.unserved(name)
		return "Service/" + name, "web-http"
	}, ""},
	{"0 replicas", func(s shop, name string) (string, string) {
		s.lost(name, "")
		s.set("Deployment/"+name, "spec.replicas", int64(0))
		s.set(s.owner(name), "spec.replicas", int64(0))
		return "Deployment/" + name, "0 replicas"
	}, stateless},
	{"backend port of an Ingress", func(s shop, _ string) (string, string) {
		s.set("Ingress/shop", "spec.rules.0.http.paths.0.backend.service.port.number", int64(8080))
		return "Ingress/shop", "8080"
	}, "web"},
	{"backend port name of an Ingress", func(s shop, _ string) (string, string) {
		s.set("Ingress/shop", "spec.rules.0.http.paths.1.backend.service.port.name", "https")
		return "Ingress/shop", "https"
	}, "gateway"},
	{"backend of an Ingress", func(s shop, _ string) (string, string) {
		s.set("Ingress/shop", "spec.rules.0.http.paths.0.backend.service.name", "webs")
		return "Service/webs", "not exist"
	}, "web"},
	{"TLS secret of an Ingress", func(s shop, _ string) (string, string) {
		s.set("Ingress/shop", "spec.tls.0.secretName", "tls")
		return "Secret/tls", "not exist"
	}, "web"},
	{"key of a ConfigMap", func(s shop, name string) (string, string) {
		s.set("ConfigMap/"+name, "data", map[string]any{"levels": "info"})
		s.waiting(name, "CreateContainerConfigError", "couldn't find key level in ConfigMap shop/"+name)
		return "Pod/" + name, "level"
	}, ""},
	{"key of a Secret", func(s shop, name string) (string, string) {
		s.template(name, "env.1.valueFrom.secretKeyRef.key", "tokens")
		s.waiting(name, "CreateContainerConfigError", "couldn't find key tokens in Secret shop/"+name)
		return "Pod/" + name, "tokens"
	}, ""},
	{"absent ConfigMap", func(s shop, name string) (string, string) {
		delete(s, "ConfigMap/"+name)
		s.waiting(name, "CreateContainerConfigError", "configmap \""+name+"\" not found")
		return "ConfigMap/" + name, "not exist"
	}, ""},
	{"absent Secret", func(s shop, name string) (string, string) {
		s.template(name, "env.1.valueFrom.secretKeyRef.name", "secrets")
		s.waiting(name, "CreateContainerConfigError", "secret \"secrets\" not found")
		return "Secret/secrets", "not exist"
	}, ""},
	{"absent ServiceAccount", func(s shop, name string) (string, string) {
		delete(s, "ServiceAccount/"+name)
		s.lost(name, "pods \""+name+"-7d4b9-\" is forbidden: error looking up service account shop/"+name+": serviceaccount \""+name+
			"\" not found")
		return "ServiceAccount/" + name, "not exist"
	}, stateless},
	{"absent PriorityClass", func(s shop, name string) (string, string) {
		s.add("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}")
		for _, object := range []string{"Deployment/" + name, s.owner(name)} {
			s.set(object, "spec.template.spec.priorityClassName", "high")
		}
		s.lost(name, "pods \""+name+"-7d4b9-\" is forbidden: no PriorityClass with name high was found")
		return "PriorityClass/high", "not exist"
	}, stateless},
	{"address of an absent Service", func(s shop, name string) (string, string) {
		s.template(name, "env.3.value", "http://nothing.shop.svc.cluster.local:80/api")
		s.waiting(name, "CrashLoopBackOff", "back-off 5m0s restarting failed container")
		return "Pod/" + name, "nothing"
	}, "web gateway cart catalog search orders payment ledger mail"},
	{"port of an address", func(s shop, name string) (string, string) {
		s.template(name, "env.3.value", services[name][0]+":8888")
		s.waiting(name, "CrashLoopBackOff", "back-off 5m0s restarting failed container")
		return "Pod/" + name, "8888"
	}, "web gateway cart catalog search orders payment ledger mail"},
	{"quota of pods", func(s shop, name string) (string, string) {
		s.set("ResourceQuota/shop", "status", map[string]any{"hard": map[string]any{"pods": "22"}, "used": map[string]any{"pods": "22"}})
		s.lost(name, "pods \""+name+"\" is forbidden: exceeded quota: shop, requested: pods=1, used: pods=22, limited: pods=22")
		return "ResourceQuota/shop", "exceeded quota"
	}, stateless},
	{"image", func(s shop, name string) (string, string) {
		s.template(name, "image", "registry.example/"+name+":15")
		s.waiting(name, "ImagePullBackOff", "Back-off pulling image \"registry.example/"+name+":15\"")
		return "Pod/" + name, "ImagePullBackOff"
	}, ""},
	{"crash", func(s shop, name string) (string, string) {
		s.waiting(name, "CrashLoopBackOff", "back-off 5m0s restarting failed container")
		return "Pod/" + name, "CrashLoopBackOff"
	}, ""},
	{"cordon", func(s shop, name string) (string, string) {
		for _, node := range nodes {
			s.set(node, "spec.unschedulable", true)
		}
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) were unschedulable.")
		return "Node/node-", "cordoned"
	}, ""},
	{"taint", func(s shop, name string) (string, string) {
		for _, node := range nodes {
			s.set(node, "spec.taints", []any{map[string]any{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}})
		}
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) had untolerated taint {dedicated: batch}.")
		return "Pod/" + name, "dedicated=batch"
	}, ""},
	{"nodeSelector", func(s shop, name string) (string, string) {
		for _, pod := range s.pods(name) {
			s.set(pod, "spec.nodeSelector", map[string]any{"disk": "ssd"})
		}
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
		return "Pod/" + name, "disk=ssd"
	}, ""},
	{"node affinity", func(s shop, name string) (string, string) {
		for _, pod := range s.pods(name) {
			s.set(pod, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
				[]any{map[string]any{"matchExpressions": []any{
					map[string]any{"key": "zone", "operator": "In", "values": []any{"b", "c"}}}}})
		}
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
		return "Pod/" + name, "affinity"
	}, ""},
	{"requests", func(s shop, name string) (string, string) {
		s.template(name, "resources.requests.memory", "64Gi")
		s.unscheduled(name, "0/3 nodes are available: 3 Insufficient memory.")
		return "Pod/" + name, "64Gi is asked for"
	}, ""},
	{"nodes full of pods", func(s shop, name string) (string, string) {
		for _, node := range nodes {
			s.set(node, "status.allocatable.pods", "0")
		}
		s.unscheduled(name, "0/3 nodes are available: 3 Too many pods.")
		return "Pod/" + name, "pods"
	}, ""},
	{"absent class of a claim", func(s shop, _ string) (string, string) {
		s.set("PersistentVolumeClaim/data-db-0", "spec.storageClassName", "slow")
		s.set("PersistentVolumeClaim/data-db-0", "spec.volumeName", nil)
		s.set("PersistentVolumeClaim/data-db-0", "status.phase", "Pending")
		s.unscheduled("db", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "Pod/db-0")
		return "StorageClass/slow", "not exist"
	}, "db"},
	{"absent RuntimeClass", func(s shop, name string) (string, string) {
		s.add("{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: plain}, handler: runc}")
		for _, object := range []string{"Deployment/" + name, s.owner(name)} {
			s.set(object, "spec.template.spec.runtimeClassName", "gvisor")
		}
		s.lost(name, "pods \""+name+"\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found")
		return "RuntimeClass/gvisor", "not exist"
	}, stateless},
	{"LimitRange", func(s shop, name string) (string, string) {
		s.add("{apiVersion: v1, kind: LimitRange, metadata: {name: small, " + meta +
			"}, spec: {limits: [{type: Container, max: {memory: 32Mi}}]}}")
		s.lost(name, "pods \""+name+"\" is forbidden: maximum memory usage per Container is 32Mi, but limit is 64Mi")
		return "LimitRange/small", "maximum memory"
	}, stateless},
	{"webhook without endpoints", func(s shop, name string) (string, string) {
		s.add("{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: guard}, webhooks: [{name: pods.guard.example.com, failurePolicy: Fail, " +
			"clientConfig: {service: {namespace: shop, name: guards}}}]}")
		s.lost(name, "Internal error occurred: failed calling webhook \"pods.guard.example.com\": failed to call webhook: Post \"https://guards.shop.svc:443/\": service \"guards\" not found")
		return "Service/guards", "not exist"
	}, stateless},
	{"pod anti-affinity", func(s shop, name string) (string, string) {
		s.affine(name, "podAntiAffinity", name, "zone")
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", s.pods(name)[0])
		return "Pod/" + name, "anti-affinity excludes"
	}, stateless},
	{"pod affinity", func(s shop, name string) (string, string) {
		s.affine(name, "podAffinity", "gpu", "zone")
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.")
		return "Pod/" + name, "app=gpu"
	}, ""},
	{"topology spread", func(s shop, name string) (string, string) {
		s.set("Node/node-2", "metadata.labels.zone", "b")
		s.set("Node/node-2", "status.allocatable.cpu", "10m")
		pod := s.pods(name)[0]
		s.set(pod, "spec.topologySpreadConstraints",
			[]any{map[string]any{"maxSkew": int64(1), "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
				"labelSelector": map[string]any{"matchLabels": map[string]any{"app": name}}}})
		s.unscheduled(name, "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.", pod)
		return "Pod/" + name, "cpu"
	}, stateless},
	{"host port", func(s shop, name string) (string, string) {
		for i, node := range []string{"node-1", "node-2", "node-3"} {
			s.add(fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: agent-%d, namespace: system}, spec: {nodeName: %s, containers: [{name: a, image: a, ports: [{containerPort: 8080, hostPort: 8080}]}]}, "+
				"status: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}}", i, node))
		}
		s.template(name, "ports.0.hostPort", int64(8080))
		s.unscheduled(name, "0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.")
		return "Pod/" + name, "host port 8080/tcp in use by Pod/agent-"
	}, ""},
	{"volume of another zone", func(s shop, _ string) (string, string) {
		s.set("PersistentVolume/pv-1", "spec.nodeAffinity.required.nodeSelectorTerms", []any{map[string]any{"matchExpressions": []any{
			map[string]any{"key": "zone", "operator": "In", "values": []any{"c"}}}}})
		s.unscheduled("db", "0/3 nodes are available: 3 node(s) had volume node affinity conflict.", "Pod/db-0")
		return "Pod/db-0", "PersistentVolume/pv-1"
	}, "db"},
	{"scheduler does not run", func(s shop, name string) (string, string) {
		s.add("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: kube-scheduler, namespace: kube-system}, spec: {renewTime: \"2026-01-02T03:00:00.000000Z\"}}")
		s.unscheduled(name, "")
		for _, pod := range s.pods(name) {
			s.set(pod, "status", map[string]any{"phase": "Pending"})
		}
		return "Pod/" + name, "kube-scheduler"
	}, ""},
	{"port of a probe", func(s shop, name string) (string, string) {
		s.template(name, "readinessProbe", map[string]any{"httpGet": map[string]any{"path": "/", "port": int64(8888)}})
		s.down(name)
		for _, pod := range s.pods(name) {
			s.set(pod, "status.containerStatuses.0.ready", false)
			s.set(pod, "status.conditions",
				[]any{map[string]any{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": "2026-01-02T04:00:00Z"}})
		}
		return "Pod/" + name, "8888"
	}, ""},
	{"time to start", func(s shop, name string) (string, string) {
		s.template(name, "livenessProbe", map[string]any{"httpGet": map[string]any{"path": "/", "port": "http"}, "failureThreshold": int64(1)})
		s.waiting(name, "CrashLoopBackOff", "back-off 5m0s restarting failed container")
		for _, pod := range s.pods(name) {
			s.set(pod, "status.containerStatuses.0.lastState.terminated", map[string]any{"exitCode": int64(137), "reason": "Error",
				"startedAt": "2026-01-02T03:59:00Z", "finishedAt": "2026-01-02T03:59:32Z"})
		}
		return "Pod/" + name, "startupProbe"
	}, ""},
	{"scheme of a probe", func(s shop, name string) (string, string) {
		s.template(name, "readinessProbe", map[string]any{"httpGet": map[string]any{"path": "/", "port": "http", "scheme": "HTTPS"}})
		s.down(name)
		for _, pod := range s.pods(name) {
			s.set(pod, "status.containerStatuses.0.ready", false)
			s.set(pod, "status.conditions",
				[]any{map[string]any{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": "2026-01-02T04:00:00Z"}})
		}
		return "Pod/" + name, "HTTPS"
	}, ""},
	{"controller manager does not run", func(s shop, name string) (string, string) {
		s.add("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: kube-controller-manager, namespace: kube-system}, spec: {renewTime: \"2026-01-02T03:30:00.000000Z\"}}")
		s.set("Deployment/"+name, "metadata.generation", int64(2))
		s.add("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: node-1, namespace: kube-node-lease}, spec: {renewTime: \"2026-01-02T04:00:00.000000Z\"}}")
		return "Deployment/" + name, "kube-controller-manager"
	}, stateless},
	{"two containers on one port", func(s shop, name string) (string, string) {
		s.waiting(name, "CrashLoopBackOff", "back-off 5m0s restarting failed container")
		for _, pod := range s.pods(name) {
			containers := s[pod]["spec"].(map[string]any)["containers"].([]any)
			s.set(pod, "spec.containers",
				append(containers, map[string]any{"name": "proxy", "image": "registry.example/proxy:1",
					"ports": []any{map[string]any{"containerPort": int64(8080)}}}))
		}
		return "Pod/" + name, "both declare port 8080/TCP"
	}, ""},
	{"address in a ConfigMap", func(s shop, name string) (string, string) {
		s.set("ConfigMap/"+name, "data.upstream", "http://nowhere:80/api")
		for _, pod := range s.pods(name) {
			s.set(pod, "spec.containers.0.envFrom", []any{map[string]any{"configMapRef": map[string]any{"name": name}}})
		}
		s.waiting(name, "CrashLoopBackOff", "back-off 5m0s restarting failed container")
		return "Pod/" + name, "nowhere"
	}, ""},
	{"claim larger than its volume", func(s shop, _ string) (string, string) {
		s.pendingClaim("")
		s.add("{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-2}, spec: {storageClassName: \"\", capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}, status: {phase: Available}}")
		s.set("PersistentVolumeClaim/data-db-0", "spec.resources.requests.storage", "100Gi")
		return "PersistentVolumeClaim/data-db-0", "100Gi"
	}, "db"},
	{"provisioning fails", func(s shop, _ string) (string, string) {
		s.pendingClaim("fast")
		s.add("{apiVersion: v1, kind: Event, metadata: {name: e1, namespace: shop}, type: Warning, reason: ProvisioningFailed, message: \"failed to provision volume: no quota left\", " +
			"involvedObject: {kind: PersistentVolumeClaim, namespace: shop, name: data-db-0}}")
		return "PersistentVolumeClaim/data-db-0", "no quota left"
	}, "db"},
	{"volume of another claim", func(s shop, _ string) (string, string) {
		s.pendingClaim("fast")
		s.set("PersistentVolumeClaim/data-db-0", "spec.volumeName", "pv-1")
		s.set("PersistentVolume/pv-1", "spec.claimRef.name", "data-db-1")
		return "PersistentVolumeClaim/data-db-0", "data-db-1"
	}, "db"},
}

// pendingClaim plays that the claim of the database is not bound.
func (s shop) pendingClaim(class string) {
	s.set("PersistentVolumeClaim/data-db-0", "spec.storageClassName", class)
	s.set("PersistentVolumeClaim/data-db-0", "spec.volumeName", nil)
	s.set("PersistentVolumeClaim/data-db-0", "status.phase", "Pending")
	s.unscheduled("db", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "Pod/db-0")
}

// affine demands pods with a label in the domain of the pods of a service, or their absence.
func (s shop) affine(name, kind, app, key string) {
	for _, pod := range s.pods(name) {
		s.set(pod, "spec.affinity."+kind+".requiredDuringSchedulingIgnoredDuringExecution", []any{map[string]any{"topologyKey": key,
			"labelSelector": map[string]any{"matchLabels": map[string]any{"app": app}}}})
	}
}

// unscheduled plays that the pods of a service have no node.
func (s shop) unscheduled(name, message string, pods ...string) {
	s.down(name)
	if len(pods) == 0 {
		pods = s.pods(name)
	}
	for _, pod := range pods {
		s.set(pod, "spec.nodeName", nil)
		s.set(pod, "status", map[string]any{"phase": "Pending",
			"conditions": []any{map[string]any{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
				"lastTransitionTime": "2026-01-02T04:00:00Z"}}})
	}
}

var at = time.Date(2026, 1, 2, 5, 0, 0, 0, time.UTC)

// causes returns the causes of everything in the shop, the best of each unhealthy hierarchy first.
func (s shop) causes() []relation.Cause {
	g := s.graph()
	v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, at)}
	var out []relation.Cause
	for _, id := range v.Tops(g.IDs(schema.GroupKind{})) {
		root := v.Build(id)
		out = append(out, relation.Causes(root)...)
	}
	return out
}

func describe(causes []relation.Cause) string {
	var lines []string
	for _, c := range causes {
		j := c.Node.Judgement
		lines = append(lines, fmt.Sprintf("%s/%s %s %s=%s %s", c.Node.Kind, c.Node.Name, j.Verdict, j.Type, j.Reason, j.Message))
	}
	return strings.Join(lines, "\n")
}

// TestHealthy: nothing in the untouched shop is a cause.
func TestHealthy(t *testing.T) {
	if got := describe(newShop().causes()); got != "" {
		t.Errorf("causes in a healthy shop:\n%s", got)
	}
}

// try applies an edit to a service of a new shop, and returns what is wrong with the causes that are found: the object is named first, with
// the word that explains it, and no other object is a cause.
func (e edit) try(name string) string {
	s := newShop()
	object, word := e.do(s, name)
	got := s.causes()
	if len(got) == 0 {
		return fmt.Sprintf("%s: no cause, want %s", name, object)
	}
	for i, c := range got {
		j := c.Node.Judgement
		if first := c.Node.Kind + "/" + c.Node.Name; !strings.HasPrefix(first, object) || !strings.Contains(j.Reason+" "+j.Message, word) {
			return fmt.Sprintf("%s: cause %d is %s, want %s with %q; all:\n%s", name, i, first, object, word, describe(got))
		}
	}
	return ""
}

// TestEdits: each edit is found in each service that it fits.
func TestEdits(t *testing.T) {
	for _, e := range edits {
		t.Run(e.kind, func(t *testing.T) {
			for name := range services {
				if e.on == "" || slices.Contains(strings.Fields(e.on), name) {
					if wrong := e.try(name); wrong != "" {
						t.Error(wrong)
					}
				}
			}
		})
	}
}

var update = flag.Bool("update", false, "write the tables of docs/causes.md")

// TestPage: the tables of docs/causes.md are those of the catalog and of the edits.
func TestPage(t *testing.T) {
	set, err := catalogs()
	if err != nil {
		t.Fatal(err)
	}
	var conditions, kinds strings.Builder
	conditions.WriteString("\n| Object | Condition | Reason | Verdict | Meaning | Remedy |\n|---|---|---|---|---|---|\n")
	for _, gvk := range []schema.GroupVersionKind{{Version: "v1", Kind: "Service"},
		{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"},
		{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}, {Version: "v1", Kind: "Pod"},
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"}, {Group: "apps", Version: "v1", Kind: "Deployment"},
		{Version: "v1", Kind: "PersistentVolumeClaim"}, {Version: "v1", Kind: "Node"},
		{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"},
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"}, {Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "Namespace"},
		{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "Gateway"}, {Group: "batch", Version: "v1", Kind: "Job"},
		{Group: "batch", Version: "v1", Kind: "CronJob"}, {Group: "networking.istio.io", Version: "v1", Kind: "VirtualService"},
		{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}, {Group: "argoproj.io", Version: "v1alpha1", Kind: "AnalysisRun"},
		{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"}} {
		for _, k := range set.ReadBy(gvk) {
			for _, d := range k.Derivations {
				for _, r := range d.Type.Reasons {
					if r.Status == "False" {
						word := map[string]string{"Error": "Failed", "Warning": "Degraded", "Info": "a doubt"}[string(r.Severity)]
						fmt.Fprintf(&conditions, "| %s | %s | %s | %s | %s | %s |\n", gvk.Kind, d.Type.Name, r.Name, word, r.Meaning, r.Remedy)
					}
				}
			}
		}
	}
	kinds.WriteString("\n| Edit | Services | Named first, alone |\n|---|---|---|\n")
	for _, e := range edits {
		all, right := 0, 0
		for name := range services {
			if e.on == "" || slices.Contains(strings.Fields(e.on), name) {
				all++
				if wrong := e.try(name); wrong == "" {
					right++
				}
			}
		}
		fmt.Fprintf(&kinds, "| %s | %d | %d |\n", e.kind, all, right)
	}
	const page = "../../../docs/causes.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	got := between(between(want, "conditions", conditions.String()), "edits", kinds.String())
	if got != want && *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/causes.md (-written +measured), rewrite with -update:\n%s", diff)
	}
}

// between replaces the text between two marks of a page.
func between(page, mark, text string) string {
	head, rest, _ := strings.Cut(page, "<!-- "+mark+" -->\n")
	_, tail, _ := strings.Cut(rest, "<!-- end -->")
	return head + "<!-- " + mark + " -->\n" + text + "\n<!-- end -->" + tail
}
