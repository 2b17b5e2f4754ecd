// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// portFaults finds ports of a pod that cannot be right, {reason, text}, for containers that are not ready: PortTaken, two containers
// declare one port; ProbeTooEarly, a liveness probe gave up in the time that it takes to; ProbeSchemeUnlikely; ProbePortNotFound, a probe
// asks a port by a name that its container does not have, or by a number where the containers of the pod declare others.
func portFaults(pod map[string]any) []any {
	out := []any{}
	fault := func(reason, format string, args ...any) {
		out = append(out, map[string]any{"reason": reason, "text": fmt.Sprintf(format, args...)})
	}
	troubled, statuses := map[string]bool{}, mapsAt(pod, "status", "containerStatuses")
	for _, s := range statuses {
		state := mapOf(s["state"])
		troubled[textAt(s, "name")] = s["ready"] != true && (state["running"] != nil || s["lastState"] != nil || state["terminated"] != nil)
	}
	owner, declared := map[port]string{}, map[string]bool{}
	containers := mapsAt(pod, "spec", "containers")
	for _, c := range containers {
		name := textAt(c, "name")
		for _, item := range mapsAt(c, "ports") {
			p := portOf(item, "containerPort")
			p.name = ""
			if other := owner[p]; other != "" && other != name && (troubled[name] || troubled[other]) {
				fault("PortTaken", "the containers %s and %s both declare port %d/%s", other, name, p.number, p.protocol)
			}
			owner[p], declared[fmt.Sprint(p.number)] = name, true
		}
	}
	for _, c := range containers {
		for _, s := range statuses {
			if text := endedEarly(c, s); s["name"] == c["name"] && s["ready"] != true && text != "" {
				fault("ProbeTooEarly", "container %v %s", c["name"], text)
			}
		}
	}
	for _, c := range containers {
		name, ports := textAt(c, "name"), mapsAt(c, "ports")
		for _, kind := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
			for _, how := range []string{"httpGet", "tcpSocket"} {
				action := mapOf(at(c, kind, how))
				port := action["port"]
				if port == nil || !troubled[name] || action["host"] != nil {
					continue
				}
				scheme := cmp.Or(textAt(action, "scheme"), "HTTP")
				if wants := schemeOf(port, ports); how == "httpGet" && wants != "" && wants != scheme {
					fault("ProbeSchemeUnlikely", "%s of container %s asks port %v by %s, which looks like one for %s", kind, name, port, scheme, wants)
				}
				known := slices.ContainsFunc(ports, func(p map[string]any) bool { return p["name"] == port })
				if _, isName := port.(string); isName && !known || !isName && len(declared) > 0 && !declared[fmt.Sprint(port)] {
					fault("ProbePortNotFound", "%s of container %s asks port %v, which no container declares", kind, name, port)
				}
			}
		}
	}
	return out
}

// endedEarly describes how a liveness probe has ended a container in the time that the probe takes to give up after a start; empty if it
// has not.
func endedEarly(c, status map[string]any) string {
	probe, ended := mapOf(c["livenessProbe"]), mapOf(at(status, "lastState", "terminated"))
	code, _ := ended["exitCode"].(int64)
	from, err := time.Parse(time.RFC3339, textAt(ended, "startedAt"))
	to, also := time.Parse(time.RFC3339, textAt(ended, "finishedAt"))
	if probe == nil || c["startupProbe"] != nil || err != nil || also != nil || code != 137 && code != 143 || ended["reason"] == "OOMKilled" {
		return ""
	}
	number := func(field string, otherwise int64) int64 {
		if n, ok := probe[field].(int64); ok {
			return n
		}
		return otherwise
	}
	delay, period, failures := number("initialDelaySeconds", 0), number("periodSeconds", 10), number("failureThreshold", 3)
	soonest := delay + period*(failures-1)
	latest := soonest + 2*period + number("timeoutSeconds", 1) + number("terminationGracePeriodSeconds", 30)
	if ran := int64(to.Sub(from).Seconds()); ran < soonest || ran > latest {
		return ""
	}
	return fmt.Sprintf("was ended %v after its start (exit code %d), when its livenessProbe gives up: initialDelaySeconds %d, and %d failures "+
		"every %d s; it has no startupProbe", to.Sub(from), code, delay, failures, period)
}

// schemeOf returns the scheme that the name or the number of a port has; empty if that is open.
func schemeOf(port any, ports []map[string]any) string {
	name, _ := port.(string)
	for _, p := range ports {
		if name == "" && p["containerPort"] == port {
			name = textAt(p, "name")
		}
	}
	for scheme, number := range map[string]int64{"https": 443, "http": 80} {
		if name == scheme || strings.HasPrefix(name, scheme+"-") || name == "" && (port == number || port == int64(8443) && scheme == "https") {
			return strings.ToUpper(scheme)
		}
	}
	return ""
}

// unfit describes why a volume cannot be bound to a claim; empty if it can.
func unfit(claim, volume map[string]any) string {
	var out []string
	if bound := mapOf(at(volume, "spec", "claimRef")); bound != nil && (bound["name"] != at(claim, "metadata", "name") ||
		bound["namespace"] != at(claim, "metadata", "namespace")) {
		out = append(out, fmt.Sprintf("belongs to PersistentVolumeClaim/%v", bound["name"]))
	}
	want, err := resource.ParseQuantity(fmt.Sprint(at(claim, "spec", "resources", "requests", "storage")))
	has, also := resource.ParseQuantity(fmt.Sprint(at(volume, "spec", "capacity", "storage")))
	if err == nil && also == nil && has.Cmp(want) < 0 {
		out = append(out, fmt.Sprintf("has %s, and %s is asked for", &has, &want))
	}
	offered := listAt(volume, "spec", "accessModes")
	for _, mode := range listAt(claim, "spec", "accessModes") {
		if len(offered) > 0 && !slices.Contains(offered, mode) {
			out = append(out, fmt.Sprintf("does not offer %v", mode))
		}
	}
	own := labels.Set{}
	for key := range mapOf(at(volume, "metadata", "labels")) {
		own[key] = textAt(volume, "metadata", "labels", key)
	}
	if s := Selector(at(claim, "spec", "selector")); s != nil && !s.Matches(own) {
		out = append(out, "has not the labels of the selector "+s.String())
	}
	mode := func(o map[string]any) string { return cmp.Or(textAt(o, "spec", "volumeMode"), "Filesystem") }
	if mode(volume) != mode(claim) {
		out = append(out, fmt.Sprintf("has volumeMode %s, and %s is asked for", mode(volume), mode(claim)))
	}
	if phase := at(volume, "status", "phase"); phase == "Released" || phase == "Failed" {
		out = append(out, fmt.Sprintf("is %v", phase))
	}
	return strings.Join(out, " and ")
}

// Selector reads {matchLabels, matchExpressions}; nil, as of a value that is none, selects nothing.
func Selector(value any) labels.Selector {
	var s metav1.LabelSelector
	if m, ok := value.(map[string]any); !ok || runtime.DefaultUnstructuredConverter.FromUnstructured(m, &s) != nil {
		return nil
	}
	out, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		return nil
	}
	return out
}

// at returns the value at a path of maps, nil without one; mapOf, textAt, listAt and mapsAt return one of a type, which is empty without
// it.
func at(m map[string]any, path ...string) any {
	var value any = m
	for _, key := range path {
		value = mapOf(value)[key]
	}
	return value
}

func mapOf(value any) map[string]any { m, _ := value.(map[string]any); return m }

func textAt(m map[string]any, path ...string) string { s, _ := at(m, path...).(string); return s }

func listAt(m map[string]any, path ...string) []any { list, _ := at(m, path...).([]any); return list }

func mapsAt(m map[string]any, path ...string) (out []map[string]any) {
	for _, item := range listAt(m, path...) {
		if m := mapOf(item); m != nil {
			out = append(out, m)
		}
	}
	return out
}
