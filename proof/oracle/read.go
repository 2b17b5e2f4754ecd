// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	upstream "sigs.k8s.io/cluster-api/util/conditions"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
)

// CAPIv1beta2 is how the conditions of Cluster API's second conditions package are read.
var CAPIv1beta2 = []Operation{{Name: "read", Run: readV2}}

// entryV2 makes an entry of a list as a decoded object has it, sometimes with a wrong field.
func entryV2(s *Source) any {
	c := conditionV2(s, Pick(s, typesV1...))
	m := map[string]any{"type": c.Type, "status": string(c.Status), "reason": c.Reason, "message": c.Message,
		"observedGeneration": c.ObservedGeneration}
	if !c.LastTransitionTime.IsZero() {
		m["lastTransitionTime"] = c.LastTransitionTime.UTC().Format("2006-01-02T15:04:05Z")
	}
	for range s.N(3) {
		delete(m, Pick(s, "observedGeneration", "reason", "message", "lastTransitionTime"))
	}
	if s.Percent(4) {
		m[Pick(s, "severity", "type", "status", "reason", "message", "observedGeneration", "lastTransitionTime")] = junk(s)
	}
	if s.Percent(1) {
		return junk(s)
	}
	return m
}

func junk(s *Source) any {
	return Pick[any](s, "", int64(5), true, map[string]any{}, []any{}, "text", nil, 1.5)
}

// readV2 reads the conditions of a decoded object, of which the list may stand in either place, or have a wrong form.
func readV2(s *Source, mutate func(*rollup.Options)) Comparison {
	list := func() any {
		if s.Percent(2) {
			return junk(s)
		}
		list := make([]any, s.N(4))
		for i := range list {
			list[i] = entryV2(s)
		}
		return list
	}
	status := map[string]any{}
	object := map[string]any{"apiVersion": "example.org/v1", "kind": "Widget", "status": status}
	if s.N(2) == 1 {
		status["v1beta2"] = map[string]any{"conditions": list()}
	}
	if s.N(4) > 0 {
		status["conditions"] = list()
	}
	switch {
	case s.Percent(1):
		status["v1beta2"] = junk(s)
	case s.Percent(1):
		object["status"] = junk(s)
	}
	theirs, panicked := readByTheirs(object)
	got, errs := wire.FromObject(object, conditions.DialectCAPIv1beta2)
	if panicked {
		return Comparison{}
	}
	ours := read{Refused: slices.ContainsFunc(errs, refuses)}
	if !ours.Refused {
		ours.List = fmt.Sprint(utc(wire.ToMeta(got)))
	}
	if mutate != nil {
		o := rollup.Options{}
		mutate(&o)
		ours.List += o.Target.Name
	}
	return Comparison{Case: func() string { return fmt.Sprintf("%+v: %v", object, errs) }, Ours: ours, Theirs: theirs}
}

// read is a list as text, or a refusal.
type read struct {
	List    string
	Refused bool
}

// refuses reports whether upstream returns an error as well; it says nothing about lists and entries of a wrong form.
func refuses(err error) bool {
	var e *wire.EntryError
	return errors.As(err, &e) && e.Field != ""
}

func readByTheirs(object map[string]any) (out read, panicked bool) {
	defer func() {
		if recover() != nil {
			panicked = true
		}
	}()
	list, err := upstream.UnstructuredGetAll(&unstructured.Unstructured{Object: object})
	if err != nil {
		return read{Refused: true}, false
	}
	return read{List: fmt.Sprint(utc(list))}, false
}

func utc(list []metav1.Condition) []metav1.Condition {
	for i := range list {
		list[i].LastTransitionTime.Time = list[i].LastTransitionTime.UTC()
	}
	return list
}
