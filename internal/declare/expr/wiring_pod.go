// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// portFaults finds ports of a pod that cannot be right, {reason, text}, for containers that are not ready: PortTaken, two containers
// declare one port; ProbeTooEarly, a liveness probe gave up in the time that it takes to; ProbeSchemeUnlikely; ProbePortNotFound, a probe
// asks a port by a name that its container does not have, or by a number where the only container of the pod declares others and did not
// exit by itself.
func portFaults(pod map[string]any) []any {
	out := []any{}
	fault := func(reason, format string, args ...any) {
		out = append(out, map[string]any{"reason": reason, "text": fmt.Sprintf(format, args...)})
	}
	troubled, exited, statuses := map[string]bool{}, map[string]bool{}, nested.Maps(pod, "status", "containerStatuses")
	for _, s := range statuses {
		state := nested.Map(s, "state")
		code, ended := nested.At(s, "lastState", "terminated", "exitCode").(int64)
		exited[nested.Text(s, "name")] = ended && code != 0 && code != 137 && code != 143 // no probe ended it
		troubled[nested.Text(s, "name")] = s["ready"] != true && (state["running"] != nil || s["lastState"] != nil || state["terminated"] != nil)
	}
	owner, declared := map[port]string{}, map[string]bool{}
	containers := nested.Maps(pod, "spec", "containers")
	alone := len(containers) == 1 && !slices.ContainsFunc(nested.Maps(pod, "spec", "initContainers"), func(c map[string]any) bool {
		return c["restartPolicy"] == "Always" // a sidecar, which may answer at a port that nothing declares
	})
	for _, c := range containers {
		name := nested.Text(c, "name")
		for _, item := range nested.Maps(c, "ports") {
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
		name, ports := nested.Text(c, "name"), nested.Maps(c, "ports")
		for _, kind := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
			for _, how := range []string{"httpGet", "tcpSocket"} {
				action := nested.Map(c, kind, how)
				port := action["port"]
				if port == nil || !troubled[name] || action["host"] != nil {
					continue
				}
				scheme := cmp.Or(nested.Text(action, "scheme"), "HTTP")
				if wants := schemeOf(port, ports); how == "httpGet" && wants != "" && wants != scheme {
					fault("ProbeSchemeUnlikely", "%s of container %s asks port %v by %s, which looks like one for %s", kind, name, port, scheme, wants)
				}
				known := slices.ContainsFunc(ports, func(p map[string]any) bool { return p["name"] == port })
				if _, isName := port.(string); isName && !known ||
					!isName && alone && !exited[name] && len(declared) > 0 && !declared[fmt.Sprint(port)] {
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
	probe, ended := nested.Map(c, "livenessProbe"), nested.Map(status, "lastState", "terminated")
	code, _ := ended["exitCode"].(int64)
	from, err := time.Parse(time.RFC3339, nested.Text(ended, "startedAt"))
	to, also := time.Parse(time.RFC3339, nested.Text(ended, "finishedAt"))
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
			name = nested.Text(p, "name")
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
	if bound := nested.Map(volume, "spec", "claimRef"); bound != nil && (bound["name"] != nested.At(claim, "metadata", "name") ||
		bound["namespace"] != nested.At(claim, "metadata", "namespace")) {
		out = append(out, fmt.Sprintf("belongs to PersistentVolumeClaim/%v", bound["name"]))
	}
	want, err := resource.ParseQuantity(fmt.Sprint(nested.At(claim, "spec", "resources", "requests", "storage")))
	has, also := resource.ParseQuantity(fmt.Sprint(nested.At(volume, "spec", "capacity", "storage")))
	if err == nil && also == nil && has.Cmp(want) < 0 {
		out = append(out, fmt.Sprintf("has %s, and %s is asked for", &has, &want))
	}
	offered := nested.List(volume, "spec", "accessModes")
	for _, mode := range nested.List(claim, "spec", "accessModes") {
		if len(offered) > 0 && !slices.Contains(offered, mode) {
			out = append(out, fmt.Sprintf("does not offer %v", mode))
		}
	}
	own := labels.Set{}
	for key := range nested.Map(volume, "metadata", "labels") {
		own[key] = nested.Text(volume, "metadata", "labels", key)
	}
	if s := Selector(nested.At(claim, "spec", "selector")); s != nil && !s.Matches(own) {
		out = append(out, "has not the labels of the selector "+s.String())
	}
	mode := func(o map[string]any) string { return cmp.Or(nested.Text(o, "spec", "volumeMode"), "Filesystem") }
	if mode(volume) != mode(claim) {
		out = append(out, fmt.Sprintf("has volumeMode %s, and %s is asked for", mode(volume), mode(claim)))
	}
	if phase := nested.At(volume, "status", "phase"); phase == "Released" || phase == "Failed" {
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
