// SPDX-License-Identifier: Apache-2.0

package story_test

import (
	"encoding/json"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/proof/story"
)

// object returns an object with stored conditions.
func object(kind, name string, list ...conditions.Condition) map[string]any {
	o := widget(kind, name)
	o["metadata"].(map[string]any)["namespace"] = "default"
	var entries []any
	for _, c := range list {
		entries = append(entries, wire.ToUnstructured(c, conditions.DialectCore))
	}
	o["status"] = map[string]any{"conditions": entries}
	return o
}

func TestCoverage(t *testing.T) {
	set := widgetSet(t)
	var c story.Coverage
	c.Add(set, []map[string]any{
		object("Widget", "a", reported("Powered", "False", "FuseOut"), reported("Ready", "False", "Tripped"), reported("Foreign", "True", "X")),
		object("Widget", "b", reported("Powered", "True", "Dark"), reported("OldEnough", "True", "Old")),
		object("Gadget", "c", reported("Ready", "True", "Fine")),
	})
	report := c.Report(set)
	want := `statuses    11 declared     4 reached     7 not reached
cells       11 declared     2 reached     9 not reached

undeclared cells, which should not exist
  Widget.example.com
    Powered=True Dark

statuses not reached
  Rack.example.com
    Ready=True -
    Ready=False -
    Ready=Unknown -
  Widget.example.com
    Ready=True -
    Ready=Unknown -
    Powered=Unknown -
    OldEnough=False -

cells not reached
  Rack.example.com
    Ready=True AllFine
    Ready=False Broken
    Ready=False Empty
  Widget.example.com
    Ready=True Fine
    Ready=False Broken
    Powered=True PowerOn
    Powered=False Cut
    Powered=Unknown NoMeter
    OldEnough=False Young

cells reached
  Widget.example.com
    Powered=False Tripped
    OldEnough=True Old

cells reached with a reason from below
  Widget.example.com
    Ready=False Tripped
`
	diff(t, "text", want, report.Text())
	data, err := json.Marshal(report.Cells.Reached)
	must(t, err)
	diff(t, "JSON", `[{"kind":"Widget.example.com","type":"Powered","status":"False","reason":"Tripped"},`+
		`{"kind":"Widget.example.com","type":"OldEnough","status":"True","reason":"Old"}]`, string(data))
}

func TestViolations(t *testing.T) {
	set := shipped(t)
	owned := func(kind, name string, list ...conditions.Condition) map[string]any {
		o := object(kind, name, list...)
		o["apiVersion"] = core
		if kind == "KubeadmControlPlane" {
			o["apiVersion"] = cpGroup
			o["spec"] = map[string]any{"version": "v1.31.0"}
			return o
		}
		o["spec"] = map[string]any{"version": "v1.31.0"}
		o["metadata"].(map[string]any)["ownerReferences"] = []any{map[string]any{"apiVersion": cpGroup, "kind": "KubeadmControlPlane",
			"name": "cp"}}
		return o
	}
	tests := map[string]struct {
		objects []map[string]any
		want    []string
	}{
		"healthy": {[]map[string]any{owned("KubeadmControlPlane", "cp", reported("Ready", "True", ""), reported("MachinesReady", "True", "")),
			owned("Machine", "m", reported("Ready", "True", ""))}, nil},
		"not reported": {[]map[string]any{owned("KubeadmControlPlane", "cp", reported("Ready", "True", ""),
			reported("MachinesReady", "True", "")),
			owned("Machine", "m")}, nil},
		"summary over unknown": {[]map[string]any{owned("KubeadmControlPlane", "cp", reported("Ready", "True", ""),
			reported("ScalingUpSuccedeed", "Unknown", "X"))},
			[]string{`KubeadmControlPlane.controlplane.cluster.x-k8s.io/default/cp has a healthy Ready over ScalingUpSuccedeed=Unknown X`}},
		"aggregate over false": {[]map[string]any{owned("KubeadmControlPlane", "cp", reported("MachinesReady", "True", "")),
			owned("Machine", "m", reported("Ready", "False", "Broken"))},
			[]string{`KubeadmControlPlane.controlplane.cluster.x-k8s.io/default/cp has a healthy MachinesReady over Machine/m Ready=False Broken`}},
		"one is tolerated": {[]map[string]any{upgrading(owned("KubeadmControlPlane", "cp", reported("MachinesReady", "True", ""),
			reported("MachinesUpgradeSucceeded", "False", "RollingOut"))),
			withSeverity(owned("Machine", "m", reported("Ready", "False", "Provisioning")))}, nil},
		"two are not": {[]map[string]any{upgrading(owned("KubeadmControlPlane", "cp", reported("MachinesReady", "True", ""),
			reported("MachinesUpgradeSucceeded", "False", "RollingOut"))),
			withSeverity(owned("Machine", "m", reported("Ready", "False", "Provisioning"))),
			withSeverity(owned("Machine", "n", reported("Ready", "False", "Provisioning")))},
			[]string{`KubeadmControlPlane.controlplane.cluster.x-k8s.io/default/cp has a healthy MachinesReady over Machine/n Ready=False Provisioning Info`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, v := range story.Violations(set, test.objects, story.Epoch) {
				got = append(got, v.String())
			}
			diff(t, "violations", test.want, got)
		})
	}
}

func upgrading(o map[string]any) map[string]any {
	o["status"].(map[string]any)["version"] = "v1.30.0"
	return o
}

func withSeverity(o map[string]any) map[string]any {
	for _, entry := range o["status"].(map[string]any)["conditions"].([]any) {
		entry.(map[string]any)["severity"] = "Info"
	}
	return o
}
