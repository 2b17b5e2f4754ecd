// SPDX-License-Identifier: Apache-2.0

// Command fleet prints a list in JSON of as many objects as its first argument says, as kubectl get -A -o json does: Deployments with their
// ReplicaSets and Pods, Services, ConfigMaps and custom resources, most of them with conditions.
//
//	fleet NUMBER [apps|pods [TROUBLE]]
//
// With "pods" all are Pods, with the fields that an API server and a kubelet write, without indentation; the test compares the fields with
// recorded ones. TROUBLE is the percentage of applications, or Pods, in a crash loop, or "one" for a single one; without it, it is 2 for
// apps and 1 for pods. tools/measure.sh uses it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
)

const since = "2026-01-02T03:04:05Z"

type object = map[string]any

func main() {
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	err := run(out, os.Args[1:])
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// trouble is the percentage of applications or Pods in a crash loop; negative: a single one.
type trouble int

// has reports whether application or Pod number i is in a crash loop.
func (t trouble) has(i int) bool {
	if t < 0 {
		return i == 7
	}
	return i*int(t)/100 != (i+1)*int(t)/100
}

func run(out io.Writer, args []string) error {
	usage := fmt.Errorf("usage: fleet NUMBER [apps|pods [PERCENTAGE|one]]")
	if len(args) < 1 || len(args) > 3 || len(args) > 1 && args[1] != "apps" && args[1] != "pods" {
		return usage
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 {
		return fmt.Errorf("%q is no number of objects", args[0])
	}
	pods, bad := len(args) > 1 && args[1] == "pods", trouble(2)
	if pods {
		bad = 1
	}
	if len(args) == 3 && args[2] == "one" {
		bad = -1
	} else if len(args) == 3 {
		percentage, err := strconv.Atoi(args[2])
		if err != nil || percentage < 0 || percentage > 100 {
			return usage
		}
		bad = trouble(percentage)
	}
	fmt.Fprintln(out, `{"apiVersion": "v1", "kind": "List", "items": [`)
	for i := range n {
		var data []byte
		if pods {
			data, err = json.Marshal(pod(i, bad.has(i)))
		} else {
			data, err = json.MarshalIndent(one(i/8, i%8, bad.has(i/8)), "    ", "    ")
		}
		if err != nil {
			return err
		}
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(out, "    %s%s\n", data, comma)
	}
	_, err = fmt.Fprintln(out, "]}")
	return err
}

// one returns one of the eight objects of an application.
func one(app, which int, broken bool) object {
	name, namespace := fmt.Sprintf("app-%d", app), fmt.Sprintf("team-%d", app%200)
	labels := object{"app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "Helm"}
	meta := func(kind, suffix string, owner object) object {
		m := object{"name": name + suffix, "namespace": namespace, "uid": uid(kind, app, suffix), "generation": 3, "resourceVersion": "4711",
			"creationTimestamp": since, "labels": labels}
		if owner != nil {
			m["ownerReferences"] = []any{owner}
		}
		return m
	}
	owner := func(apiVersion, kind, suffix string) object {
		return object{"apiVersion": apiVersion, "kind": kind, "name": name + suffix, "uid": uid(kind, app, suffix), "controller": true}
	}
	ready, status, count := "MinimumReplicasAvailable", "True", 2
	if broken {
		ready, status, count = "MinimumReplicasUnavailable", "False", 0
	}
	template := object{"metadata": object{"labels": labels},
		"spec": object{"containers": []any{object{"name": "main", "image": "registry.example/" + name + ":1.2.3",
			"resources": object{"requests": object{"cpu": "100m", "memory": "128Mi"}}, "ports": []any{object{"containerPort": 8080}}}}}}
	selector := object{"matchLabels": object{"app.kubernetes.io/name": name}}
	switch which {
	case 0:
		s := object{"observedGeneration": 3, "replicas": 2, "updatedReplicas": 2, "readyReplicas": count, "availableReplicas": count,
			"conditions": []any{
				condition("Available", status, ready), condition("Progressing", "True", "NewReplicaSetAvailable")}}
		if broken {
			s["unavailableReplicas"] = 2
		}
		return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("Deployment", "", nil), "status": s,
			"spec": object{"replicas": 2, "selector": selector, "template": template}}
	case 1:
		return object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta("ReplicaSet", "-7d", owner("apps/v1", "Deployment", "")),
			"spec":   object{"replicas": 2, "selector": selector, "template": template},
			"status": object{"observedGeneration": 3, "replicas": 2, "readyReplicas": count, "availableReplicas": count, "fullyLabeledReplicas": 2}}
	case 2, 3:
		p := kubelet{name: name + fmt.Sprintf("-7d-%d", which), namespace: namespace, uid: uid("Pod", app, strconv.Itoa(which)),
			container: "main", image: "registry.example/" + name + ":1.2.3", at: since, number: 2*app + which, broken: broken,
			owner: owner("apps/v1", "ReplicaSet", "-7d"), labels: labels}
		return p.pod()
	case 4:
		return object{"apiVersion": "v1", "kind": "Service", "metadata": meta("Service", "", nil),
			"spec": object{"selector": labels, "clusterIP": "10.0.0.1",
				"type": "ClusterIP", "ports": []any{object{"port": 80, "targetPort": 8080}}}, "status": object{"loadBalancer": object{}}}
	case 5:
		return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("ConfigMap", "-config", nil),
			"data": object{"config.yaml": "log: info\nport: 8080\n"}}
	case 6:
		return object{"apiVersion": "db.example.dev/v1", "kind": "Database", "metadata": meta("Database", "", nil),
			"spec": object{"size": "10Gi"},
			"status": object{"observedGeneration": 3, "conditions": []any{condition("Ready", "True", "Running"),
				condition("BackupReady", "True", "Done")}}}
	}
	return object{"apiVersion": "queue.example.dev/v1", "kind": "Queue", "metadata": meta("Queue", "", nil), "spec": object{"depth": 10},
		"status": object{"observedGeneration": 3, "conditions": []any{condition("Ready", "True", "Connected")}}}
}

func condition(name, status, reason string) object {
	return object{"type": name, "status": status, "reason": reason, "message": "", "lastTransitionTime": since}
}

func uid(kind string, app int, suffix string) string {
	return fmt.Sprintf("%s-%d%s", kind, app, suffix)
}
