// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tristate/tristate/verdict"
)

func ExampleEngine_Judge() {
	e := new(verdict.Engine)
	var object map[string]any
	err := json.Unmarshal([]byte(`{
		"apiVersion": "example.org/v1", "kind": "Database", "metadata": {"name": "orders", "generation": 3},
		"status": {"observedGeneration": 3, "conditions": [
			{"type": "Ready", "status": "True", "reason": "Serving"},
			{"type": "BackupFailed", "status": "True", "reason": "BucketNotFound", "message": "no bucket named orders",
			 "lastTransitionTime": "2026-01-02T03:04:05Z"}]}}`), &object)
	if err != nil {
		panic(err)
	}
	v := e.Judge(object, time.Now())
	fmt.Println(v.Status, v.Ready, v.Reason, v.Confidence(), v.Rule)
	fmt.Println(v.Message, v.Since.Format(time.RFC3339))
	for _, x := range v.Evidence {
		fmt.Println(x.Path, "=", x.Value)
	}
	for _, c := range v.Contradictions {
		fmt.Println(c)
	}
	// Output:
	// Degraded true BucketNotFound doubt condition/negative
	// no bucket named orders 2026-01-02T03:04:05Z
	// .status.conditions[?(@.type=="BackupFailed")].status = True
	// .status.conditions[?(@.type=="BackupFailed")].reason = BucketNotFound
	// .status.conditions[?(@.type=="Ready")].status = True
	// reports Ready, but no bucket named orders
}
