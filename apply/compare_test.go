// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

type common struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	Phase              string             `json:"phase,omitempty"`
}

type endpoint struct {
	Host string `json:"host"`
	Port int32  `json:"port,omitempty"`
}

type lampStatus struct {
	common `json:",inline"`

	Parts    int32                 `json:"parts"`
	Broken   int32                 `json:"broken,omitempty"`
	Lit      *bool                 `json:"lit,omitempty"`
	Since    *metav1.Time          `json:"since,omitempty"`
	At       metav1.Time           `json:"at,omitempty"`
	Ratio    float64               `json:"ratio,omitempty"`
	Outputs  map[string]string     `json:"outputs,omitempty"`
	Names    []string              `json:"names,omitempty"`
	Listed   []string              `json:"listed"`
	Key      []byte                `json:"key,omitempty"`
	Main     *endpoint             `json:"main,omitempty"`
	Ends     []endpoint            `json:"ends,omitempty"`
	ByName   map[string]endpoint   `json:"byName,omitempty"`
	Size     *resource.Quantity    `json:"size,omitempty"`
	Port     intstr.IntOrString    `json:"port,omitempty"`
	Raw      *runtime.RawExtension `json:"raw,omitempty"`
	Anything any                   `json:"anything,omitempty"`
	Used     int64                 `json:"used,omitempty"` // by another writer
}

type lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            lampStatus `json:"status,omitempty"`
}

// changes are ways to change a status, each from any other.
var changes = map[string]func(s *lampStatus){
	"nothing":             func(*lampStatus) {},
	"phase":               func(s *lampStatus) { s.Phase = "Lit" },
	"zero that is there":  func(s *lampStatus) { s.Parts = 0 },
	"number":              func(s *lampStatus) { s.Parts = 2 },
	"omitted number":      func(s *lampStatus) { s.Broken = 2 },
	"false":               func(s *lampStatus) { s.Lit = ptr.To(false) },
	"true":                func(s *lampStatus) { s.Lit = ptr.To(true) },
	"time":                func(s *lampStatus) { s.Since = &metav1.Time{Time: time.Unix(100, 0)} },
	"time within seconds": func(s *lampStatus) { s.Since = &metav1.Time{Time: time.Unix(100, 7).UTC()} },
	"no time":             func(s *lampStatus) { s.Since = &metav1.Time{} },
	"later": func(s *lampStatus) {
		s.Since, s.At = &metav1.Time{Time: time.Unix(101, 0)}, metav1.Time{Time: time.Unix(5, 0)}
	},
	"ratio":               func(s *lampStatus) { s.Ratio = 0.5 },
	"map":                 func(s *lampStatus) { s.Outputs = map[string]string{"a": "b"} },
	"map, another value":  func(s *lampStatus) { s.Outputs = map[string]string{"a": "c"} },
	"map, another key":    func(s *lampStatus) { s.Outputs = map[string]string{"b": "b"} },
	"empty map":           func(s *lampStatus) { s.Outputs = map[string]string{} },
	"list":                func(s *lampStatus) { s.Names = []string{"a", "b"} },
	"list, another order": func(s *lampStatus) { s.Names = []string{"b", "a"} },
	"empty list":          func(s *lampStatus) { s.Names = []string{} },
	"empty list, there":   func(s *lampStatus) { s.Listed = []string{} },
	"bytes":               func(s *lampStatus) { s.Key = []byte{1, 2} },
	"object":              func(s *lampStatus) { s.Main = &endpoint{"h", 0} },
	"object, port":        func(s *lampStatus) { s.Main = &endpoint{"h", 80} },
	"empty object":        func(s *lampStatus) { s.Main = &endpoint{} },
	"objects":             func(s *lampStatus) { s.Ends = []endpoint{{"a", 1}} },
	"map of objects":      func(s *lampStatus) { s.ByName = map[string]endpoint{"a": {"a", 1}} },
	"map of others":       func(s *lampStatus) { s.ByName = map[string]endpoint{"a": {"a", 2}} },
	"quantity":            func(s *lampStatus) { s.Size = ptr.To(resource.MustParse("1")) },
	"the same quantity":   func(s *lampStatus) { s.Size = resource.NewMilliQuantity(1000, resource.DecimalSI) },
	"name of a port":      func(s *lampStatus) { s.Port = intstr.FromString("http") },
	"raw":                 func(s *lampStatus) { s.Raw = &runtime.RawExtension{Raw: []byte(`{"a":1}`)} },
	"raw, with spaces":    func(s *lampStatus) { s.Raw = &runtime.RawExtension{Raw: []byte(`{ "a": 1 }`)} },
	"anything":            func(s *lampStatus) { s.Anything = map[string]any{"a": int64(1)} },
}

// TestTyped compares each status with each other one: typed values differ exactly where their JSON does, null being absence, and a write of
// what does not differ would change nothing.
func TestTyped(t *testing.T) {
	target := Target{Path: ParsePath(""), Foreign: []string{"used"}, Own: &conditions.Kind{}}
	parse := func(s *lampStatus) map[string]any {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		for name, value := range out {
			if value == nil || name == "conditions" || name == "used" {
				delete(out, name)
			}
		}
		return out
	}
	for one, first := range changes {
		for two, second := range changes {
			object, wanted := &lamp{}, &lampStatus{}
			object.Status.Conditions, object.Status.Used, wanted.Used = []metav1.Condition{{Type: "A"}}, 3, 4
			first(&object.Status)
			second(wanted)
			want := !reflect.DeepEqual(parse(&object.Status), parse(wanted))
			if got := target.differs(object, wanted); got != want {
				t.Errorf("%s to %s: typed values differ: %v, want %v", one, two, got, want)
			}
			fields, err := target.typed(wanted)
			if err != nil {
				t.Fatal(err)
			}
			if got := fields.differ(object); got != want {
				t.Errorf("%s to %s: fields differ from a typed object: %v, want %v", one, two, got, want)
			}
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
			if err != nil {
				t.Fatal(err)
			}
			if got := target.differs(&unstructured.Unstructured{Object: content}, wanted); got != want {
				t.Errorf("%s to %s: a typed value differs from an object without type: %v, want %v", one, two, got, want)
			}
			if got := target.differs(object, &wanted.common); got != (object.Status.Phase != wanted.Phase) {
				t.Errorf("%s to %s: a part of the type differs: %v", one, two, got)
			}
		}
	}
}

// TestTypedGeneration: the observed generation is written by the pass, unless the status has one.
func TestTypedGeneration(t *testing.T) {
	target := Target{Path: ParsePath(""), Own: &conditions.Kind{StatusGeneration: true}}
	tests := map[string]struct {
		generation, stored, wanted int64
		differ                     bool
	}{
		"stored":            {2, 2, 0, false},
		"behind":            {3, 2, 0, true},
		"given":             {3, 3, 3, false},
		"given, and behind": {3, 2, 3, true},
		"a smaller one":     {3, 3, 2, true},
	}
	for name, test := range tests {
		object := &lamp{ObjectMeta: metav1.ObjectMeta{Generation: test.generation}}
		object.Status.ObservedGeneration = test.stored
		wanted := &lampStatus{}
		wanted.ObservedGeneration = test.wanted
		if got := target.differs(object, wanted); got != test.differ {
			t.Errorf("%s: differs: %v, want %v", name, got, test.differ)
		}
	}
}
