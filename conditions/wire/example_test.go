// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"errors"
	"fmt"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func ExampleCutMessage() {
	fmt.Println(wire.CutMessage("a message that does not fit into it at all, whatever one does", 50))
	// Output:
	// a message that does not fit... (34 bytes left out)
}

func ExampleValidate() {
	var c conditions.Condition
	c.Type, c.Status, c.Reason = "Ready", "Yes", "Up"
	for _, err := range wire.Validate(&c, conditions.DialectCore) {
		fmt.Println(err)
	}
	// Output:
	// condition "Ready": status "Yes" is not True, False or Unknown
	// condition "Ready": lastTransitionTime is missing
}

func ExampleFromObject() {
	list, errs := wire.FromObject(map[string]any{"kind": "Gadget", "status": map[string]any{"conditions": []any{
		map[string]any{"type": "Ready", "status": "True", "reason": "Up"},
		map[string]any{"type": "Stored", "status": 1},
	}}}, conditions.DialectCore)
	for _, c := range list {
		fmt.Printf("%s=%s %q\n", c.Type, c.Status, c.Reason)
	}
	for _, err := range errs {
		var entry *wire.EntryError
		fmt.Println(errors.As(err, &entry), entry.Error())
	}
	// Output:
	// Ready=True "Up"
	// Stored=Unknown ""
	// true Gadget status.conditions[1].status (condition Stored): is a number, not a string
}

func ExampleToUnstructured() {
	list := wire.FromMeta([]metav1.Condition{{Type: "Ready", Status: conditions.True, Reason: "Up", ObservedGeneration: 3}})
	entry := wire.ToUnstructured(list[0], conditions.DialectCore)
	fmt.Println(entry["type"], entry["status"], entry["reason"], entry["observedGeneration"])
	again, errs := wire.FromUnstructured([]any{entry})
	fmt.Println(again[0].Reason, errs, wire.ToMeta(again)[0].ObservedGeneration)
	// Output:
	// Ready True Up 3
	// Up [] 3
}

func ExampleWaits() {
	waits, errs := wire.Waits(map[string]any{"status": map[string]any{"waits": []any{
		map[string]any{"type": "Ready", "reason": "Rolling", "since": "2026-01-02T12:00:00Z", "progress": "3 of 5"}, "odd",
	}}})
	fmt.Println(waits[0].Type, waits[0].Reason, waits[0].Progress)
	fmt.Println(errs)
	// Output:
	// Ready Rolling 3 of 5
	// [status.waits[1]: is a string, not an object]
}

func ExampleValidType() {
	fmt.Println(wire.ValidType("example.org/Ready"), wire.ValidType("not ready"))
	fmt.Println(wire.ValidReason("UpToDate"), wire.ValidReason("up to date"))
	fmt.Println(wire.ValidStatus(conditions.Unknown), wire.ValidStatus("Maybe"))
	fmt.Println(wire.MaxTypeBytes, wire.MaxTypeNameBytes, wire.MaxReasonBytes, wire.MaxMessageBytes)
	// Output:
	// true false
	// true false
	// true false
	// 316 63 1024 32768
}
