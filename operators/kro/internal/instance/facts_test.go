// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"errors"
	"testing"
	"time"

	"github.com/kubernetes-sigs/kro/pkg/requeue"
	"github.com/tristate/tristate/conditions"
	"k8s.io/kube-openapi/pkg/validation/spec"
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
			var after *requeue.RequeueNeededAfter
			got := time.Duration(0)
			if errors.As(again(tt.facts, r, conditions.Advice{}, time.Time{}, since.Add(tt.later)), &after) {
				got = after.Duration()
			}
			if got != tt.want {
				t.Errorf("looked at again after %s, want %s", got, tt.want)
			}
		})
	}
}
