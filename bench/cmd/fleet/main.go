// SPDX-License-Identifier: Apache-2.0

// Command fleet prints a list in JSON of as many objects as its argument says, as kubectl get -A -o json does: Deployments with their
// ReplicaSets and Pods, Services, ConfigMaps and custom resources, most of them with conditions, one in fifty unhealthy. tools/measure.sh
// files uses it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

const since = "2026-01-02T03:04:05Z"

type object = map[string]any

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: fleet NUMBER"))
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil || n < 0 {
		fail(fmt.Errorf("%q is no number of objects", os.Args[1]))
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	fmt.Fprintln(out, `{"apiVersion": "v1", "kind": "List", "items": [`)
	for i := range n {
		data, err := json.MarshalIndent(one(i/8, i%8), "    ", "    ")
		if err != nil {
			fail(err)
		}
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(out, "    %s%s\n", data, comma)
	}
	fmt.Fprintln(out, "]}")
	if err := out.Flush(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "fleet:", err)
	os.Exit(1)
}

// one returns one of the eight objects of an application.
func one(app, which int) object {
	name, namespace, broken := fmt.Sprintf("app-%d", app), fmt.Sprintf("team-%d", app%200), app%50 == 7
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
		state, reason := object{"running": object{"startedAt": since}}, ""
		if broken {
			state, reason = object{"waiting": object{"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}, "ContainersNotReady"
		}
		status := map[bool]string{true: "False", false: "True"}[broken]
		return object{"apiVersion": "v1", "kind": "Pod", "metadata": meta("Pod", fmt.Sprintf("-7d-%d", which),
			owner("apps/v1", "ReplicaSet", "-7d")), "spec": template["spec"],
			"status": object{"phase": map[bool]string{true: "Pending", false: "Running"}[broken],
				"conditions": []any{condition("Initialized", "True", ""), condition("PodScheduled", "True", ""),
					condition("ContainersReady", status, reason), condition("Ready", status, reason)},
				"containerStatuses": []any{object{"name": "main", "ready": !broken, "restartCount": 0, "image": "registry.example/" + name + ":1.2.3",
					"state": state}}}}
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
