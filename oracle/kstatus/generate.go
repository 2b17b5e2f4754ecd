// SPDX-License-Identifier: Apache-2.0

package kstatus

import "math/rand"

// draw makes a random object of what kstatus reads.
func draw(r *rand.Rand) map[string]any {
	k := kinds[r.Intn(len(kinds))]
	obj := map[string]any{"apiVersion": k[0], "kind": k[1]}
	set(r, obj, "metadata", 12, func() any { return metadata(r) })
	set(r, obj, "spec", 8, func() any { return fill(r, specFields, 4) })
	set(r, obj, "status", 12, func() any { return status(r, k[1]) })
	if r.Intn(60) == 0 {
		obj[pick(r, []string{"apiVersion", "kind"})] = junk(r)
	}
	if r.Intn(60) == 0 {
		delete(obj, pick(r, []string{"apiVersion", "kind"}))
	}
	return obj
}

var kinds = [][2]string{
	{"v1", "Pod"}, {"v1", "Pod"}, {"v1", "Service"}, {"v1", "PersistentVolumeClaim"}, {"v1", "Secret"}, {"v1", "ConfigMap"}, {"v1", "Node"},
	{"apps/v1", "Deployment"}, {"apps/v1", "Deployment"}, {"apps/v1", "ReplicaSet"}, {"apps/v1", "StatefulSet"}, {"apps/v1", "DaemonSet"},
	{"extensions/v1beta1", "Deployment"}, {"extensions/v1beta1", "DaemonSet"}, {"extensions/v1beta1", "StatefulSet"},
	{"extensions/v1beta1", "Ingress"},
	{"batch/v1", "Job"}, {"batch/v1", "CronJob"}, {"policy/v1", "PodDisruptionBudget"},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition"},
	{"example.org/v1", "Widget"}, {"example.org/v1", "Widget"}, {"apps/v1/x", "Deployment"}, {"apps", "Deployment"}, {"", "Pod"},
}

// set returns a field a value in most cases; one in odd a wrong shape, and sometimes leaves it out.
func set(r *rand.Rand, m map[string]any, key string, odd int, value func() any) {
	switch n := r.Intn(odd * 4); {
	case n == 0:
		m[key] = junk(r)
	case n < 4:
	default:
		m[key] = value()
	}
}

func metadata(r *rand.Rand) map[string]any {
	m := map[string]any{"name": "x"}
	set(r, m, "generation", 6, func() any { return int64(1 + r.Intn(2)) })
	if r.Intn(12) == 0 {
		m["deletionTimestamp"] = pickAny(r, "2026-01-02T03:04:05Z", "", nil, int64(4))
	}
	if r.Intn(2) == 0 {
		m["creationTimestamp"] = pickAny(r, "2026-01-02T03:04:05Z", "2999-01-02T03:04:05Z", "x", nil, "2026-01-02")
	}
	return m
}

func status(r *rand.Rand, kind string) map[string]any {
	m := fill(r, statusFields, 2)
	set(r, m, "observedGeneration", 6, func() any { return int64(1 + r.Intn(2)) })
	set(r, m, "phase", 20, func() any { return pick(r, phases) })
	set(r, m, "conditions", 8, func() any {
		list := make([]any, r.Intn(4))
		for i := range list {
			list[i] = condition(r, kind)
		}
		return list
	})
	if kind == "Pod" {
		set(r, m, "containerStatuses", 8, func() any {
			list := make([]any, r.Intn(3))
			for i := range list {
				list[i] = container(r)
			}
			return list
		})
	}
	return m
}

func condition(r *rand.Rand, kind string) any {
	if r.Intn(40) == 0 {
		return junk(r)
	}
	types := append([]string{"Ready", "Reconciling", "Stalled"}, typesOf[kind]...)
	m := map[string]any{}
	set(r, m, "type", 20, func() any { return pick(r, types) })
	set(r, m, "status", 20, func() any { return pick(r, []string{"True", "False", "Unknown", "True", "False", "true"}) })
	set(r, m, "reason", 15, func() any { return pick(r, reasons) })
	set(r, m, "message", 15, func() any { return pick(r, []string{"one", "two", ""}) })
	return m
}

func container(r *rand.Rand) any {
	if r.Intn(40) == 0 {
		return junk(r)
	}
	m := map[string]any{"name": pick(r, []string{"a", "b", ""})}
	if r.Intn(10) == 0 {
		delete(m, "name")
	}
	set(r, m, "state", 20, func() any {
		s := map[string]any{}
		set(r, s, "waiting", 10, func() any {
			w := map[string]any{}
			set(r, w, "reason", 10, func() any { return pick(r, []string{"CrashLoopBackOff", "ImagePullBackOff"}) })
			return w
		})
		return s
	})
	return m
}

func fill(r *rand.Rand, fields map[string]func(*rand.Rand) any, odd int) map[string]any {
	m := map[string]any{}
	for _, k := range sortedKeys(fields) {
		switch r.Intn(odd * 12) {
		case 0:
			m[k] = junk(r)
		case 1, 2, 3:
		default:
			m[k] = fields[k](r)
		}
	}
	return m
}

func small(r *rand.Rand) any { return int64(r.Intn(4)) }

var specFields = map[string]func(*rand.Rand) any{
	"replicas": small, "completions": small, "parallelism": small,
	"progressDeadlineSeconds": func(r *rand.Rand) any { return pickAny(r, int64(600), int64(2147483647), nil) },
	"type":                    func(r *rand.Rand) any { return pickAny(r, "LoadBalancer", "ClusterIP") },
	"clusterIP":               func(r *rand.Rand) any { return pickAny(r, "10.0.0.1", "") },
	"suspend":                 func(r *rand.Rand) any { return r.Intn(2) == 0 },
	"updateStrategy": func(r *rand.Rand) any {
		m := map[string]any{"type": pick(r, []string{"RollingUpdate", "OnDelete"})}
		set(r, m, "rollingUpdate", 6, func() any {
			p := map[string]any{}
			set(r, p, "partition", 6, func() any { return int64(r.Intn(4) - 1) })
			return p
		})
		return m
	},
}

var statusFields = map[string]func(*rand.Rand) any{
	"replicas": small, "updatedReplicas": small, "readyReplicas": small, "availableReplicas": small, "fullyLabeledReplicas": small,
	"currentReplicas": small, "desiredNumberScheduled": small, "currentNumberScheduled": small, "updatedNumberScheduled": small,
	"numberAvailable": small, "numberReady": small, "succeeded": small, "active": small, "failed": small,
	"currentRevision": func(r *rand.Rand) any { return pick(r, []string{"a", "b"}) },
	"updateRevision":  func(r *rand.Rand) any { return pick(r, []string{"a", "b"}) },
	"startTime":       func(r *rand.Rand) any { return pick(r, []string{"2026-01-02T03:04:05Z", ""}) },
}

var (
	phases  = []string{"Running", "Pending", "Succeeded", "Failed", "Unknown", "", "Bound", "Lost"}
	reasons = []string{
		"ProgressDeadlineExceeded", "NewReplicaSetAvailable", "Unschedulable", "Installing", "NotAccepted", "Broken", "",
	}
	typesOf = map[string][]string{
		"Pod": {"PodScheduled", "Ready"}, "Deployment": {"Progressing", "Available", "ReplicaFailure"}, "ReplicaSet": {"ReplicaFailure"},
		"Job": {"Complete", "Failed", "Suspended"}, "CustomResourceDefinition": {"Established", "NamesAccepted"},
	}
)

func pick(r *rand.Rand, of []string) string { return of[r.Intn(len(of))] }

func pickAny(r *rand.Rand, of ...any) any { return of[r.Intn(len(of))] }

// junk is a value of a wrong shape.
func junk(r *rand.Rand) any {
	switch r.Intn(8) {
	case 0:
		return nil
	case 1:
		return "text"
	case 2:
		return int64(r.Intn(5))
	case 3:
		return 1.5
	case 4:
		return true
	case 5:
		return []any{}
	case 6:
		return []any{"x"}
	}
	return map[string]any{}
}
