// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
)

// TestMute: a kind without a status by its schema has nothing to wait for.
func TestMute(t *testing.T) {
	with := func(open bool, fields ...string) *spec.Schema {
		s := &spec.Schema{SchemaProps: spec.SchemaProps{Properties: map[string]spec.Schema{}}}
		for _, name := range fields {
			s.Properties[name] = spec.Schema{}
		}
		if open {
			s.AddExtension("x-kubernetes-preserve-unknown-fields", true)
		}
		return s
	}
	tests := map[string]struct {
		schema *spec.Schema
		want   bool
	}{
		"no status":         {with(false, "spec"), true},
		"a status":          {with(false, "spec", "status"), false},
		"any other field":   {with(true, "spec"), false},
		"no field is known": {with(false), false},
		"no schema":         {nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := mute(tt.schema); got != tt.want {
				t.Errorf("mute is %v, want %v", got, tt.want)
			}
		})
	}
}

// TestAgain: when an instance is looked at again that no event brings back.
func TestAgain(t *testing.T) {
	k, since := kind(t), time.Unix(1700000000, 0)
	waits := Facts{Resources: []Resource{{ID: "web", Waiting: "x"}, well("svc")}, Custom: healthy}
	tests := map[string]struct {
		facts Facts
		later time.Duration // since the conditions became what they are
		want  time.Duration // 0: only an event brings it back
	}{
		"ready":                     {Facts{Resources: []Resource{well("web"), well("svc")}, Custom: healthy}, 0, 0},
		"an expression waits":       {waits, time.Second, Soon},
		"an expression waits long":  {waits, time.Minute, Again},
		"the definition is invalid": {Facts{Definition: &Trouble{true, "x"}}, 0, 0},
		"being deleted":             {Facts{Deleting: true, Going: "x"}, time.Hour, Soon},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := judged(t, k, nil, tt.facts)
			got, now := time.Duration(0), since.Add(tt.later)
			if at := again(tt.facts, r, time.Time{}, now); !at.IsZero() {
				got = at.Sub(now)
			}
			if got != tt.want {
				t.Errorf("looked at again after %s, want %s", got, tt.want)
			}
		})
	}
}

// TestQuiet: an Ingress or a LoadBalancer without an address, a suspended CronJob or Job, a paused Deployment, and a custom resource whose
// controller writes no status are those that kro calls ready. An object whose controller says something is not among them.
func TestQuiet(t *testing.T) {
	tests := map[string]struct {
		object  string
		verdict verdict.Status
		want    bool
	}{
		"an Ingress without an address": {`{apiVersion: networking.k8s.io/v1, kind: Ingress, status: {loadBalancer: {}}}`,
			verdict.InProgress, true},
		"a LoadBalancer without an address": {`{apiVersion: v1, kind: Service, spec: {type: LoadBalancer}, status: {loadBalancer: {}}}`,
			verdict.InProgress, true},
		"a suspended CronJob": {`{apiVersion: batch/v1, kind: CronJob, status: {lastScheduleTime: x}}`, verdict.Suspended,
			true},
		"a paused Deployment":                {`{apiVersion: apps/v1, kind: Deployment, status: {replicas: 0}}`, verdict.Suspended, true},
		"a custom resource without a status": {`{apiVersion: example.com/v1, kind: Thing}`, verdict.Unknown, true},
		"one with defaults of its schema": {`{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, status: {parents: []}}`,
			verdict.InProgress, true},
		"one whose controller works on it": {
			`{apiVersion: example.com/v1, kind: Thing, status: {conditions: [{type: Ready, status: "False"}]}}`, verdict.InProgress, false},
		"one whose controller has read it": {`{apiVersion: example.com/v1, kind: Thing, status: {observedGeneration: 1}}`,
			verdict.InProgress, false},
		"a failed one":                          {`{apiVersion: example.com/v1, kind: Thing}`, verdict.Failed, false},
		"a Deployment that nobody has seen yet": {`{apiVersion: apps/v1, kind: Deployment, status: {}}`, verdict.InProgress, false},
		"a Deployment with 0 of 1 pods":         {`{apiVersion: apps/v1, kind: Deployment, status: {replicas: 1}}`, verdict.InProgress, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(tt.object), &o.Object); err != nil {
				t.Fatal(err)
			}
			if got := quiet(o, tt.verdict); got != tt.want {
				t.Errorf("quiet is %v, want %v", got, tt.want)
			}
		})
	}
}
