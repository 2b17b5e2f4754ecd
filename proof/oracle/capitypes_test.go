// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 the deprecated types are the ones to compare with

package oracle

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta1"

	"github.com/tristate/tristate/conditions/capi"
)

// TestCAPITypes holds our types of Cluster API against upstream's of v1beta1 (story 1, the data model): each value survives the way through
// the other's JSON, both have the same JSON, and neither has a field or a tag that the other lacks.
func TestCAPITypes(t *testing.T) {
	ours, theirs := reflect.TypeFor[capi.Condition](), reflect.TypeFor[clusterv1.Condition]()
	tags := func(of reflect.Type) map[string]string {
		out := map[string]string{}
		for f := range of.NumField() {
			out[of.Field(f).Name] = of.Field(f).Tag.Get("json")
		}
		return out
	}
	if diff := cmp.Diff(tags(theirs), tags(ours)); diff != "" {
		t.Errorf("fields and tags: -upstream +ours\n%s", diff)
	}
	for name, severity := range map[clusterv1.ConditionSeverity]capi.ConditionSeverity{
		clusterv1.ConditionSeverityError: capi.ConditionSeverityError, clusterv1.ConditionSeverityWarning: capi.ConditionSeverityWarning,
		clusterv1.ConditionSeverityInfo: capi.ConditionSeverityInfo, clusterv1.ConditionSeverityNone: capi.ConditionSeverityNone,
	} {
		if string(name) != string(severity) {
			t.Errorf("severity %q is %q upstream", severity, name)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	for range 500 {
		var list clusterv1.Conditions
		for range random.IntN(4) {
			list = append(list, clusterv1.Condition{
				Type: clusterv1.ConditionType(pick("Ready", "InfrastructureReady", "x.example.com/Quiet")), Status: "True",
				Severity: clusterv1.ConditionSeverity(pick("", "Error", "Warning", "Info")), Reason: pick("", "ScalingUp"),
				Message:            pick("", "1 of 2", "é\n"),
				LastTransitionTime: metav1.NewTime(time.Unix(random.Int64N(2e9), 0).UTC()),
			})
		}
		upstream, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var mine capi.Conditions
		if err := json.Unmarshal(upstream, &mine); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(mine.DeepCopy())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(upstream), string(again)); diff != "" {
			t.Fatalf("JSON: -upstream +ours\n%s", diff)
		}
		var back clusterv1.Conditions
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, back); diff != "" {
			t.Fatalf("round trip: -want +got\n%s", diff)
		}
	}
}
