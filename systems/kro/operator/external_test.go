// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"testing"
)

// externalSteps are the steps of the comparison with objects that a graph only refers to. They count as much as those that it makes.
func externalSteps(t *testing.T) []step {
	t.Helper()
	const backend = `
- id: backend
  externalRef: {apiVersion: apps/v1, kind: Deployment, metadata: {name: "${schema.metadata.name}-backend"}}
`
	const note = `- id: note
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${schema.metadata.name}-note"}, data: {of: "${backend.metadata.name}"}}`
	borrower, trusting := rgd(t, "borrower", "Borrower", fields, backend+note), rgd(t, "trusting", "Trusting", fields, backend+
		`  readyWhen: ["${backend.metadata.name != ''}"]
`+note)
	choosy := rgd(t, "choosy", "Choosy", fields, backend+`  readyWhen: ["${backend.spec.replicas > 1}"]
`+note)
	borrows, trusts, asks := instance(t, "Borrower", "borrows", ""), instance(t, "Trusting", "trusts", ""), instance(t, "Choosy", "asks", "")
	waits, works, fails := lent(t, "borrows-backend", hangs), lent(t, "borrows-backend", ready), lent(t, "borrows-backend", failed)
	const cell = "resources.kro.run/backend"
	return []step{
		{
			name:    "a Deployment of somebody else has 0 of 1 pods",
			do:      makes(waits, borrower, borrows),
			at:      borrows,
			needs:   objects(waits),
			ours:    cells("Unknown Progressing", cell, "Unknown Progressing"),
			theirs:  cells("True Ready"),
			message: "0 of 1",
			status:  "InProgress ChildInProgress",
		},
		{
			name:   "its pods come up",
			do:     respecified(works),
			at:     borrows,
			needs:  objects(waits),
			ours:   cells("True AllReady", cell, "True ResourceReady"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:   "somebody deletes it",
			do:     removes(waits),
			at:     borrows,
			needs:  objects(waits),
			ours:   cells("Unknown", cell, "Unknown NotFound"),
			theirs: cells("False NotReady"),
		},
		{
			name:   "somebody makes it with an image that cannot be pulled",
			do:     makes(fails),
			at:     borrows,
			person: true,
			needs:  objects(waits),
			ours:   cells("False Failed", cell, "False Failed"),
			theirs: cells("True Ready"),
			status: "Failed ChildFailed",
		},
		{
			name:   "readyWhen holds over one without pods",
			do:     makes(lent(t, "trusts-backend", hangs), trusting, trusts),
			at:     trusts,
			ours:   cells("True AllReady", cell, "True ReadyByReadyWhen"),
			theirs: cells("True Ready"),
			status: "Current",
		},
		{
			name:    "readyWhen does not hold over one with pods",
			do:      makes(lent(t, "asks-backend", ready), choosy, asks),
			at:      asks,
			ours:    cells("Unknown", cell, "Unknown NotReady"),
			theirs:  cells("False NotReady"),
			message: "readyWhen does not hold",
		},
	}
}
