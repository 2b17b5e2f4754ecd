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
// declare one port; ProbePortNotFound, a
// probe asks a port by a name that its container does not have, or by a number where the containers of the pod declare others.
func portFaults(pod map[string]any) []any {
	spec, _ := pod["spec"].(map[string]any)
	status, _ := pod["status"].(map[string]any)
	troubled := map[string]bool{}
	statuses, _ := status["containerStatuses"].([]any)
	for _, item := range statuses {
		s, _ := item.(map[string]any)
		state, _ := s["state"].(map[string]any)
		if name, _ := s["name"].(string); s["ready"] != true && (state["running"] != nil || s["lastState"] != nil || state["terminated"] != nil) {
			troubled[name] = true
		}
	}
	out := []any{}
	owner, declared := map[string]string{}, map[string]bool{}
	containers, _ := spec["containers"].([]any)
	each := func(do func(c map[string]any, name string, ports []any)) {
		for _, item := range containers {
			c, _ := item.(map[string]any)
			name, _ := c["name"].(string)
			ports, _ := c["ports"].([]any)
			do(c, name, ports)
		}
	}
	each(func(_ map[string]any, name string, ports []any) {
		for _, item := range ports {
			p, _ := item.(map[string]any)
			protocol, _ := p["protocol"].(string)
			if protocol == "" {
				protocol = "TCP"
			}
			key := fmt.Sprintf("%v/%s", p["containerPort"], protocol)
			if other := owner[key]; other != "" && other != name && (troubled[name] || troubled[other]) {
				out = append(out, map[string]any{"reason": "PortTaken", "text": fmt.Sprintf("the containers %s and %s both declare port %s", other,
					name, key)})
			}
			owner[key] = name
			declared[fmt.Sprint(p["containerPort"])] = true
		}
	})
	each(func(c map[string]any, name string, _ []any) {
		for _, item := range statuses {
			if s, _ := item.(map[string]any); s["name"] == name && s["ready"] != true {
				if text := endedEarly(c, s); text != "" {
					out = append(out, map[string]any{"reason": "ProbeTooEarly", "text": "container " + name + " " + text})
				}
			}
		}
	})
	each(func(c map[string]any, name string, ports []any) {
		for _, kind := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
			probe, _ := c[kind].(map[string]any)
			for _, how := range []string{"httpGet", "tcpSocket"} {
				action, _ := probe[how].(map[string]any)
				port := action["port"]
				if port == nil || !troubled[name] || action["host"] != nil {
					continue
				}
				text, isName := port.(string)
				scheme, _ := action["scheme"].(string)
				if wants := schemeOf(port, ports); how == "httpGet" && wants != "" && wants != cmp.Or(scheme, "HTTP") {
					out = append(out, map[string]any{"reason": "ProbeSchemeUnlikely", "text": fmt.Sprintf("%s of container %s asks port %v by %s, which "+
						"looks like one for %s",
						kind, name, port, cmp.Or(scheme, "HTTP"), wants)})
				}
				known := slices.ContainsFunc(ports, func(item any) bool { p, _ := item.(map[string]any); return p["name"] == text })
				if isName && !known || !isName && len(declared) > 0 && !declared[fmt.Sprint(port)] {
					out = append(out, map[string]any{"reason": "ProbePortNotFound", "text": fmt.Sprintf("%s of container %s asks port %v, which no "+
						"container declares", kind, name, port)})
				}
			}
		}
	})
	return out
}

// endedEarly describes how a liveness probe has ended a container in the time that the probe takes to give up after a start; empty if it
// has not.
func endedEarly(c, status map[string]any) string {
	probe, _ := c["livenessProbe"].(map[string]any)
	last, _ := status["lastState"].(map[string]any)
	ended, _ := last["terminated"].(map[string]any)
	code, _ := ended["exitCode"].(int64)
	from, err := time.Parse(time.RFC3339, fmt.Sprint(ended["startedAt"]))
	to, also := time.Parse(time.RFC3339, fmt.Sprint(ended["finishedAt"]))
	if probe == nil || c["startupProbe"] != nil || err != nil || also != nil || code != 137 && code != 143 || ended["reason"] == "OOMKilled" {
		return ""
	}
	number := func(field string, otherwise int64) int64 {
		if n, ok := probe[field].(int64); ok {
			return n
		}
		return otherwise
	}
	period := number("periodSeconds", 10)
	soonest := number("initialDelaySeconds", 0) + period*(number("failureThreshold", 3)-1)
	latest := soonest + 2*period + number("timeoutSeconds", 1) + number("terminationGracePeriodSeconds", 30)
	if ran := int64(to.Sub(from).Seconds()); ran < soonest || ran > latest {
		return ""
	}
	return fmt.Sprintf("was ended %v after its start (exit code %d), when its livenessProbe gives up: initialDelaySeconds %d, and %d "+
		"failures every %d s; it has no startupProbe",
		to.Sub(from), code, number("initialDelaySeconds", 0), number("failureThreshold", 3), period)
}

// schemeOf returns the scheme that the name or the number of a port has; empty if that is open.
func schemeOf(port any, ports []any) string {
	name, _ := port.(string)
	for _, item := range ports {
		if p, _ := item.(map[string]any); name == "" && p["containerPort"] == port {
			name, _ = p["name"].(string)
		}
	}
	switch {
	case name == "https" || strings.HasPrefix(name, "https-") || name == "" && (port == int64(443) || port == int64(8443)):
		return "HTTPS"
	case name == "http" || strings.HasPrefix(name, "http-") || name == "" && port == int64(80):
		return "HTTP"
	}
	return ""
}

// unfit describes why a volume cannot be bound to a claim; empty if it can.
func unfit(claim, volume map[string]any) string {
	var out []string
	if bound, _ := at(volume, "spec", "claimRef").(map[string]any); bound != nil && (bound["name"] != at(claim, "metadata", "name") ||
		bound["namespace"] != at(claim, "metadata", "namespace")) {
		out = append(out, fmt.Sprintf("belongs to PersistentVolumeClaim/%v", bound["name"]))
	}
	want, err := resource.ParseQuantity(fmt.Sprint(at(claim, "spec", "resources", "requests", "storage")))
	has, also := resource.ParseQuantity(fmt.Sprint(at(volume, "spec", "capacity", "storage")))
	if err == nil && also == nil && has.Cmp(want) < 0 {
		out = append(out, fmt.Sprintf("has %s, and %s is asked for", &has, &want))
	}
	offered, _ := at(volume, "spec", "accessModes").([]any)
	asked, _ := at(claim, "spec", "accessModes").([]any)
	for _, mode := range asked {
		if len(offered) > 0 && !slices.Contains(offered, mode) {
			out = append(out, fmt.Sprintf("does not offer %v", mode))
		}
	}
	if s, ok := at(claim, "spec", "selector").(map[string]any); ok {
		var parsed metav1.LabelSelector
		if runtime.DefaultUnstructuredConverter.FromUnstructured(s, &parsed) == nil {
			own, _ := at(volume, "metadata", "labels").(map[string]any)
			set := labels.Set{}
			for key, value := range own {
				set[key] = fmt.Sprint(value)
			}
			if selector, err := metav1.LabelSelectorAsSelector(&parsed); err == nil && !selector.Matches(set) {
				out = append(out, "has not the labels of the selector "+selector.String())
			}
		}
	}
	mode := func(o map[string]any) string {
		m, _ := at(o, "spec", "volumeMode").(string)
		return cmp.Or(m, "Filesystem")
	}
	if mode(volume) != mode(claim) {
		out = append(out, fmt.Sprintf("has volumeMode %s, and %s is asked for", mode(volume), mode(claim)))
	}
	if phase := at(volume, "status", "phase"); phase == "Released" || phase == "Failed" {
		out = append(out, fmt.Sprintf("is %v", phase))
	}
	return strings.Join(out, " and ")
}

// at returns the value at a path of maps; nil without one.
func at(m map[string]any, path ...string) any {
	var value any = m
	for _, key := range path {
		next, _ := value.(map[string]any)
		value = next[key]
	}
	return value
}
