// SPDX-License-Identifier: Apache-2.0

// Command fleet prints a list in JSON of as many objects as its argument says, as kubectl get -A -o json does: Deployments with their
// ReplicaSets and Pods, Services, ConfigMaps and custom resources, most of them with conditions, one in fifty unhealthy; with "pods" after
// the number, Pods alone, with all that an API server and a kubelet write, without indentation. tools/measure.sh files uses it.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

const since = "2026-01-02T03:04:05Z"

type object = map[string]any

func main() {
	pods := len(os.Args) == 3 && os.Args[2] == "pods"
	if len(os.Args) != 2 && !pods {
		fail(fmt.Errorf("usage: fleet NUMBER [pods]"))
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil || n < 0 {
		fail(fmt.Errorf("%q is no number of objects", os.Args[1]))
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	fmt.Fprintln(out, `{"apiVersion": "v1", "kind": "List", "items": [`)
	for i := range n {
		var data []byte
		if pods {
			data, err = json.Marshal(pod(i))
		} else {
			data, err = json.MarshalIndent(one(i/8, i%8), "    ", "    ")
		}
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

// pod makes Pod number i. Ten Pods are of one ReplicaSet, and one in a hundred crashes. Names and ids that a cluster draws are made of a
// hash of i.
func pod(i int) object {
	random := func(what string, n int) string {
		return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", what, n)))
	}
	id := func(what string, n int) string {
		s := random(what, n)
		return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-8" + s[17:20] + "-" + s[20:32]
	}
	app := fmt.Sprintf("service-%d", i/10)
	set := app + "-" + random("set", i/10)[:10]
	name, token := set+"-"+random("pod", i)[:5], "kube-api-access-"+random("token", i)[:5]
	at := fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02dZ", 1+i%11, 1+i%28, i%24, i/7%60, i/11%60)
	state, count := object{"running": object{"startedAt": at}}, 0
	if i%100 == 7 {
		message := "back-off 5m0s restarting failed container=app pod=" + name
		state, count = object{"waiting": object{"reason": "CrashLoopBackOff", "message": message}}, 12
	}
	var conditions []any
	for _, c := range []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		c := object{"type": c, "status": "True", "lastProbeTime": nil, "lastTransitionTime": at}
		if count > 0 && (c["type"] == "Ready" || c["type"] == "ContainersReady") {
			c["status"], c["reason"], c["message"] = "False", "ContainersNotReady", "containers with unready status: [app]"
		}
		conditions = append(conditions, c)
	}
	tolerate := func(what string) object {
		return object{"key": "node.kubernetes.io/" + what, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
	}
	owner := object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": set, "uid": id("set", i/10), "controller": true,
		"blockOwnerDeletion": true}
	container := object{"name": "app", "image": "registry.example/" + app + ":1.2.3", "imagePullPolicy": "IfNotPresent",
		"ports":        []any{object{"containerPort": 8080, "protocol": "TCP"}},
		"resources":    object{"requests": object{"cpu": "100m", "memory": "128Mi"}},
		"volumeMounts": []any{object{"name": token, "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}}}
	sources := []any{object{"serviceAccountToken": object{"expirationSeconds": 3607, "path": "token"}},
		object{"configMap": object{"name": "kube-root-ca.crt", "items": []any{object{"key": "ca.crt", "path": "ca.crt"}}}}}
	return object{"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"name": name, "generateName": set + "-", "namespace": fmt.Sprintf("team-%d", i/10%300), "uid": id("pod", i),
			"resourceVersion": strconv.Itoa(1000000 + 7*i), "creationTimestamp": at, "ownerReferences": []any{owner},
			"labels": object{"app.kubernetes.io/name": app, "pod-template-hash": set[len(app)+1:]}},
		"spec": object{"containers": []any{container}, "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
			"volumes":   []any{object{"name": token, "projected": object{"defaultMode": 420, "sources": sources}}},
			"dnsPolicy": "ClusterFirst", "serviceAccountName": "default", "nodeName": fmt.Sprintf("node-%d", i*7919%5000),
			"securityContext": object{}, "schedulerName": "default-scheduler", "priority": 0, "enableServiceLinks": true,
			"tolerations": []any{tolerate("not-ready"), tolerate("unreachable")}},
		"status": object{"phase": "Running", "conditions": conditions, "startTime": at, "qosClass": "Burstable",
			"hostIP": fmt.Sprintf("10.0.0.%d", i%250), "podIP": fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255),
			"containerStatuses": []any{object{"name": "app", "state": state, "lastState": object{}, "ready": count == 0, "started": count == 0,
				"restartCount": count, "image": container["image"], "imageID": "registry.example/" + app + "@sha256:" + random("image", i/10),
				"containerID": "containerd://" + random("container", i)}}}}
}

func condition(name, status, reason string) object {
	return object{"type": name, "status": status, "reason": reason, "message": "", "lastTransitionTime": since}
}

func uid(kind string, app int, suffix string) string {
	return fmt.Sprintf("%s-%d%s", kind, app, suffix)
}
