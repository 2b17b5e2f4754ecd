// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// TestCells: each cell that a pass writes although it was not reported is among the cells that check, policy and metrics know. A pass
// reports nothing, or an error without a reason, to each type of the example and of an operator's catalog. An error that has no declared
// cell is a fault of the pass, which returns it.
func TestCells(t *testing.T) {
	example := []byte(`apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: queues.example.com}
spec:
  for: {group: example.com, kind: Queue, versions: [v1]}
  conditions:
  - type: Provisioned
    meaning: The broker has the queue.
    reasons:
    - {reason: BrokerRefused, status: "False", class: transient, meaning: It refuses.}
    - {reason: Created, status: "True", class: ok, meaning: It has.}
  - type: Drained
    meaning: No message is left.
    optional: true
    reasons:
    - {reason: Empty, status: "True", class: ok, meaning: None is left.}
  - type: Throttled
    meaning: Senders wait.
    polarity: negative
    presence: when-true
    reasons:
    - {reason: Quick, status: "False", class: ok, meaning: None waits.}
`)
	operator, err := os.ReadFile("../../../systems/kars/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Load(map[string][]byte{"example.yaml": example, "catalog.yaml": operator})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Kinds() {
		for i := range k.Declaration.Types {
			reported := &k.Declaration.Types[i]
			for _, fault := range []error{nil, errors.New("refused")} {
				pass := k.Declaration.Begin(1, nil, time.Unix(1e9, 0))
				if fault != nil {
					pass.ReportError(reported.Name, fault)
				}
				result := pass.Commit()
				for _, c := range result.Conditions() {
					if c.Reason == "Undeclared" && len(result.Errors) > 0 {
						continue
					}
					written := k.Type(c.Type)
					cells, closed := k.Cells(written)
					if closed && !slices.ContainsFunc(cells, func(r conditions.Reason) bool { return r.Name == c.Reason && r.Status == c.Status }) {
						t.Errorf("%s: a pass wrote %s=%s %s, which is not among its cells", k.For.Kind, c.Type, c.Status, c.Reason)
					}
				}
			}
		}
	}
	provisioned := set.Kinds()[slices.IndexFunc(set.Kinds(), func(k *catalog.Kind) bool { return k.For.Kind == "Queue" })].Type("Provisioned")
	if provisioned == nil || len(provisioned.StockCells()) != 1 || provisioned.StockCells()[0].Name != "NotReported" {
		t.Errorf("stock cells of Provisioned: %v, want Unknown/NotReported alone: False has a reason of its own", provisioned.StockCells())
	}
}
