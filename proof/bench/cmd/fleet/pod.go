// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"fmt"
	"strconv"
)

// pod makes Pod number i. Ten Pods are of one ReplicaSet. Names and ids that a cluster draws are made of a hash of i.
func pod(i int, broken bool) object {
	app := fmt.Sprintf("service-%d", i/10)
	set := app + "-" + random("set", i/10)[:10]
	at := fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02dZ", 1+i%11, 1+i%28, i%24, i/7%60, i/11%60)
	p := kubelet{name: set + "-" + random("pod", i)[:5], namespace: fmt.Sprintf("team-%d", i/10%300), uid: drawn("pod", i),
		container: "app", image: "registry.example/" + app + ":1.2.3", at: at, number: i, broken: broken,
		owner: object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": set, "uid": drawn("set", i/10), "controller": true,
			"blockOwnerDeletion": true},
		labels: object{"app.kubernetes.io/name": app, "pod-template-hash": set[len(app)+1:]}}
	return p.pod()
}

// kubelet is what differs between the Pods of a list; the other fields are as an API server of version 1.33 and a kubelet write them.
type kubelet struct {
	name, namespace, uid, container, image, at string
	number                                     int
	broken                                     bool // in a crash loop
	owner, labels                              object
}

func (p kubelet) pod() object {
	token := "kube-api-access-" + random("token", p.number)[:5]
	mount := object{"name": token, "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
	tolerate := func(what string) object {
		return object{"key": "node.kubernetes.io/" + what, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
	}
	container := object{"name": p.container, "image": p.image, "imagePullPolicy": "IfNotPresent",
		"ports":                  []any{object{"containerPort": 8080, "protocol": "TCP"}},
		"resources":              object{"requests": object{"cpu": "100m", "memory": "128Mi"}},
		"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "volumeMounts": []any{mount}}
	field := object{"path": "namespace", "fieldRef": object{"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
	sources := []any{object{"serviceAccountToken": object{"expirationSeconds": 3607, "path": "token"}},
		object{"configMap": object{"name": "kube-root-ca.crt", "items": []any{object{"key": "ca.crt", "path": "ca.crt"}}}},
		object{"downwardAPI": object{"items": []any{field}}}}
	ip, host := fmt.Sprintf("10.%d.%d.%d", p.number>>16, p.number>>8&255, p.number&255), fmt.Sprintf("10.0.0.%d", p.number%250)
	return object{"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"name": p.name, "generateName": p.name[:len(p.name)-5], "namespace": p.namespace, "uid": p.uid, "generation": 1,
			"resourceVersion": strconv.Itoa(1000000 + 7*p.number), "creationTimestamp": p.at, "ownerReferences": []any{p.owner},
			"labels": p.labels},
		"spec": object{"containers": []any{container}, "restartPolicy": "Always", "terminationGracePeriodSeconds": 30,
			"volumes":   []any{object{"name": token, "projected": object{"defaultMode": 420, "sources": sources}}},
			"dnsPolicy": "ClusterFirst", "serviceAccount": "default", "serviceAccountName": "default",
			"nodeName": fmt.Sprintf("node-%d", p.number*7919%5000), "preemptionPolicy": "PreemptLowerPriority",
			"securityContext": object{}, "schedulerName": "default-scheduler", "priority": 0, "enableServiceLinks": true,
			"tolerations": []any{tolerate("not-ready"), tolerate("unreachable")}},
		"status": object{"phase": "Running", "conditions": p.conditions(), "startTime": p.at, "qosClass": "Burstable", "observedGeneration": 1,
			"hostIP": host, "hostIPs": []any{object{"ip": host}}, "podIP": ip, "podIPs": []any{object{"ip": ip}},
			"containerStatuses": []any{p.containerStatus(mount)}}}
}

func (p kubelet) conditions() []any {
	var out []any
	for _, name := range []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		c := object{"type": name, "status": "True", "lastProbeTime": nil, "lastTransitionTime": p.at, "observedGeneration": 1}
		if p.broken && (name == "Ready" || name == "ContainersReady") {
			c["status"], c["reason"], c["message"] = "False", "ContainersNotReady", "containers with unready status: ["+p.container+"]"
		}
		out = append(out, c)
	}
	return out
}

func (p kubelet) containerStatus(mount object) object {
	id := "containerd://" + random("container", p.number)
	status := object{"name": p.container, "state": object{"running": object{"startedAt": p.at}}, "lastState": object{}, "ready": true,
		"started": true, "restartCount": 0, "image": p.image, "imageID": p.image + "@sha256:" + random("image", p.number/10),
		"containerID": id, "resources": object{"requests": object{"cpu": "100m", "memory": "128Mi"}},
		"allocatedResources": object{"cpu": "100m", "memory": "128Mi"},
		"volumeMounts":       []any{object{"name": mount["name"], "mountPath": mount["mountPath"], "readOnly": true, "recursiveReadOnly": "Disabled"}}}
	if p.broken {
		message := "back-off 5m0s restarting failed container=" + p.container + " pod=" + p.name + "_" + p.namespace + "(" + p.uid + ")"
		status["state"] = object{"waiting": object{"reason": "CrashLoopBackOff", "message": message}}
		status["lastState"] = object{"terminated": object{"containerID": id, "exitCode": 1, "reason": "Error", "startedAt": p.at,
			"finishedAt": p.at}}
		status["ready"], status["started"], status["restartCount"] = false, false, 12
	}
	return status
}

// random returns hexadecimal digits that depend on a word and a number.
func random(what string, n int) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", what, n)))
}

// drawn returns a uid.
func drawn(what string, n int) string {
	s := random(what, n)
	return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-8" + s[17:20] + "-" + s[20:32]
}
