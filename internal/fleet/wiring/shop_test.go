// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// shop is the objects of a namespace, by KIND/NAME, as a dump of a running cluster has them. There are no processes: an edit plays what the
// controllers and the kubelet would have written.
type shop map[string]map[string]any

// services are the twelve of the shop: each calls the next ones by the addresses in its environment.
var services = map[string][]string{"web": {"cart", "catalog", "search"}, "gateway": {"web", "orders"}, "cart": {"cache"}, "catalog": {"db"},
	"search": {"catalog"},
	"orders": {"queue", "db", "payment"}, "payment": {"ledger"}, "ledger": {"db"}, "mail": {"queue"}, "queue": nil, "cache": nil, "db": nil}

const (
	made    = "2026-01-02T03:04:05Z"
	meta    = "namespace: shop, creationTimestamp: \"" + made + "\", generation: 1"
	podSpec = `
    serviceAccountName: NAME
    containers:
    - name: NAME
      image: registry.example/NAME:1.4
      ports: [{name: http, containerPort: 8080}, {name: metrics, containerPort: 9090}]
      resources: {requests: {cpu: 100m, memory: 64Mi}}
      env:
      - {name: LEVEL, valueFrom: {configMapKeyRef: {name: NAME, key: level}}}
      - {name: TOKEN, valueFrom: {secretKeyRef: {name: NAME, key: token}}}
      - {name: TRACE, value: "http://collector.example.com:4317"}
ENV`
	owned = "ownerReferences: [{apiVersion: apps/v1, kind: KIND, name: OWNER, uid: UID, controller: true}]"
)

// newShop returns the healthy shop.
func newShop() shop {
	s := shop{}
	for key, o := range healthy() {
		s[key] = runtime.DeepCopyJSON(o)
	}
	return s
}

var healthy = sync.OnceValue(func() shop {
	s := shop{}
	s.add(`{apiVersion: v1, kind: Namespace, metadata: {name: shop}, status: {phase: Active}}`)
	for _, node := range []string{"node-1", "node-2", "node-3"} {
		s.add(strings.ReplaceAll(`{apiVersion: v1, kind: Node, metadata: {name: NODE, labels: {kubernetes.io/hostname: NODE, zone: a}}, spec: {},
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}, conditions: [{type: Ready, status: "True", reason: KubeletReady}]}}`, "NODE",
			node))
	}
	for i, name := range slices.Sorted(maps.Keys(services)) {
		var env strings.Builder
		for _, other := range services[name] {
			fmt.Fprintf(&env, "      - {name: %s_ADDR, value: %q}\n", strings.ToUpper(other), "http://"+other+".shop.svc.cluster.local:80/api")
		}
		text := func(text string, more ...string) string {
			return strings.NewReplacer(append(more, "NAME", name, "ENV", env.String(), "META", meta)...).Replace(text)
		}
		s.add(text(`{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, META}, data: {level: info}}`))
		s.add(text(`{apiVersion: v1, kind: Secret, metadata: {name: NAME, META}, data: {token: eA==}}`))
		s.add(text(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: NAME, META}}`))
		s.add(text(`{apiVersion: v1, kind: Service, metadata: {name: NAME, META}, spec: {type: ClusterIP, clusterIP: 10.0.0.` + fmt.Sprint(i+1) +
			`, selector: {app: NAME, tier: shop},
  ports: [{name: http, port: 80, targetPort: http, protocol: TCP}, {name: metrics, port: 9090, targetPort: 9090, protocol: TCP}]}, status: {loadBalancer: {}}}`))
		spec := text(podSpec)
		kind, owner := "ReplicaSet", name+"-7d4b9"
		if name == "db" {
			kind, owner = "StatefulSet", "db"
			s.add(text(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, META}, spec: {storageClassName: fast, volumeName: pv-1, accessModes: [ReadWriteOnce],
  resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}`))
			s.add(`{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv-1}, spec: {storageClassName: fast, claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: data-db-0}}, status: {phase: Bound}}`)
			s.add(`{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: disk.example}`)
		}
		workload := "apiVersion: apps/v1\nkind: KIND\nmetadata: {name: OBJECT, uid: UID, META, OWNED}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: NAME}}\n  template:\n" +
			"    metadata: {labels: {app: NAME, tier: shop}}\n    spec:\n" + strings.ReplaceAll(strings.TrimPrefix(spec, "\n"), "    ", "      ") +
			"\nstatus: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2}\n"
		if name == "db" {
			s.add(text(workload, "KIND", "StatefulSet", "OBJECT", "db", "UID", "set-db", ", OWNED", ""))
		} else {
			s.add(text(workload, "KIND", "Deployment", "OBJECT", name, "UID", "deploy-"+name, ", OWNED", ""))
			s.add(text(workload, "KIND", "ReplicaSet", "OBJECT", owner, "UID", "set-"+name, "OWNED",
				strings.NewReplacer("KIND", "Deployment", "OWNER", name, "UID", "deploy-"+name).Replace(owned)))
		}
		var endpoints []string
		for n := range 2 {
			pod := fmt.Sprintf("%s-%d", owner, n)
			volumes := ""
			if name == "db" && n == 0 {
				volumes = "\n    volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]"
			}
			s.add("apiVersion: v1\nkind: Pod\nmetadata: {name: " + pod + ", " + meta + ", labels: {app: " + name + ", tier: shop}, " +
				strings.NewReplacer("KIND", kind, "OWNER", owner, "UID", "set-"+name).Replace(owned) + "}\nspec:\n    nodeName: node-1" + spec +
				volumes +
				text("\nstatus:\n  phase: Running\n  conditions: [{type: Ready, status: \"True\"}]\n  containerStatuses: [{name: NAME, ready: true, restartCount: 0, state: {running: {startedAt: \""+made+"\"}}}]\n"))
			endpoints = append(endpoints,
				fmt.Sprintf("{addresses: [10.1.%d.%d], conditions: {ready: true}, targetRef: {kind: Pod, namespace: shop, name: %s}}", i, n, pod))
		}
		s.add(text(`{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, metadata: {name: NAME-x, META, labels: {kubernetes.io/service-name: NAME}}, endpoints: [` +
			strings.Join(endpoints, ", ") + `], ports: [{name: http, port: 8080}]}`))
	}
	s.add(`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: shop, ` + meta +
		`}, spec: {tls: [{hosts: [shop.example.com], secretName: web}], rules: [{host: shop.example.com,
  http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}, {path: /api, pathType: Prefix, backend: {service: {name: gateway, port: {name: http}}}}]}}]},
  status: {loadBalancer: {ingress: [{ip: 192.0.2.1}]}}}`)
	s.add(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: shop, ` + meta +
		`}, spec: {hard: {pods: "30"}}, status: {hard: {pods: "30"}, used: {pods: "24"}}}`)
	return s
})

func (s shop) add(text string) {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%v\n%s", err, text))
	}
	var o map[string]any
	if err := json.Unmarshal(data, &o); err != nil {
		panic(err)
	}
	s[fmt.Sprintf("%v/%v", o["kind"], o["metadata"].(map[string]any)["name"])] = o
}

// set writes a field of an object; the path is separated by dots, and numbers are places in lists.
func (s shop) set(object, path string, value any) {
	if s[object] == nil {
		panic("the shop has no " + object)
	}
	change(s[object], strings.Split(path, "."), value)
}

func change(at any, path []string, value any) {
	switch at := at.(type) {
	case map[string]any:
		switch {
		case len(path) == 1 && value == nil:
			delete(at, path[0])
		case len(path) == 1:
			at[path[0]] = value
		default:
			if at[path[0]] == nil {
				at[path[0]] = map[string]any{}
			}
			change(at[path[0]], path[1:], value)
		}
	case []any:
		var i int
		if _, err := fmt.Sscan(path[0], &i); err != nil || i >= len(at) {
			panic(fmt.Sprint("no item ", path[0]))
		}
		if len(path) == 1 {
			at[i] = value
			return
		}
		change(at[i], path[1:], value)
	default:
		panic(fmt.Sprint("no field ", path[0]))
	}
}

// pods returns the names of the pods of a service.
func (s shop) pods(name string) []string {
	var out []string
	for key, o := range s {
		if labels, _, _ := unstructured.NestedStringMap(o, "metadata", "labels"); strings.HasPrefix(key, "Pod/") && labels["app"] == name {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

// owner returns the object that makes the pods of a service.
func (s shop) owner(name string) string {
	if name == "db" {
		return "StatefulSet/db"
	}
	return "ReplicaSet/" + name + "-7d4b9"
}

// unserved plays that the endpoints of a service are gone.
func (s shop) unserved(name string) { s.set("EndpointSlice/"+name+"-x", "endpoints", []any{}) }

// down plays that the pods of a service do not become ready: its workloads are short of replicas and its endpoints are not ready.
func (s shop) down(name string) {
	for _, object := range []string{"Deployment/" + name, s.owner(name)} {
		if s[object] != nil {
			s.set(object, "status.availableReplicas", int64(0))
			s.set(object, "status.readyReplicas", int64(0))
		}
	}
	s.set("EndpointSlice/"+name+"-x", "endpoints.0.conditions.ready", false)
	s.set("EndpointSlice/"+name+"-x", "endpoints.1.conditions.ready", false)
}

// waiting plays that the containers of a service wait for a reason.
func (s shop) waiting(name, reason, message string) {
	s.down(name)
	state := map[string]any{"waiting": map[string]any{"reason": reason, "message": message}}
	for _, pod := range s.pods(name) {
		phase := "Pending"
		if reason == "CrashLoopBackOff" {
			phase = "Running"
			s.set(pod, "status.containerStatuses.0.restartCount", int64(7))
			s.set(pod, "status.containerStatuses.0.lastState", map[string]any{"terminated": map[string]any{"exitCode": int64(1), "reason": "Error"}})
		}
		s.set(pod, "status.phase", phase)
		s.set(pod, "status.containerStatuses.0.ready", false)
		s.set(pod, "status.containerStatuses.0.state", state)
		s.set(pod, "status.conditions",
			[]any{map[string]any{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": "2026-01-02T04:00:00Z"}})
	}
}

// template changes a field of the containers of a service: in its workloads and its pods.
func (s shop) template(name, path string, value any) {
	for _, object := range []string{"Deployment/" + name, s.owner(name)} {
		if s[object] != nil {
			s.set(object, "spec.template.spec.containers.0."+path, value)
		}
	}
	for _, pod := range s.pods(name) {
		s.set(pod, "spec.containers.0."+path, value)
	}
}

// lost plays that no pod of a service was created, for a reason that its ReplicaSet reports.
func (s shop) lost(name, message string) {
	for _, pod := range s.pods(name) {
		delete(s, pod)
	}
	s.unserved(name)
	for _, object := range []string{"Deployment/" + name, s.owner(name)} {
		for _, field := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
			s.set(object, "status."+field, int64(0))
		}
		if message != "" {
			s.set(object, "status.conditions", []any{map[string]any{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate",
				"message": message}})
		}
	}
}

// graph reads the shop as a dump.
func (s shop) graph() *relation.Graph {
	g := relation.New(nil)
	for _, key := range slices.Sorted(maps.Keys(s)) {
		g.Put(relation.FromContent(s[key]))
	}
	return g
}

func TestShop(t *testing.T) {
	if n := len(newShop()); n < 100 {
		t.Errorf("%d objects", n)
	}
}
