// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"embed"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
)

//go:embed doc
var docs embed.FS

// All are the checks of the family.
var All = check.Document(docs, []*check.Check{
	{ID: "crd/api-version-valid", Title: "group and versions are names that the API server accepts", Level: check.Error, Needs: evidence.CRD,
		Why: "objects of the kind cannot be written", Fix: "a group is a DNS name with a dot, a version is v1, v1beta2 or v2alpha1",
		Run: definitions(apiVersion)},
	{ID: "crd/declares-conditions", Title: "a version declares an array of conditions (criterion C3 of kars)", Level: check.Error,
		Needs: evidence.CRD,
		Why:   "the kind has no place for conditions at all", Fix: "add status.conditions", Run: definitions(anyArray)},
	{ID: "crd/has-conditions", Title: "every served version has the list of conditions where the catalog says", Level: check.Error,
		Needs: evidence.CRD,
		Why:   "what is written through one version is lost in another", Fix: "add the list to the version", Run: definitions(everyVersion)},
	{ID: "crd/open-schema", Title: "the schema declares the conditions where it accepts unknown fields", Level: check.Warning,
		Needs: evidence.CRD,
		Why:   "the API server then stores a misspelt status, and two writers erase each other's conditions",
		Fix:   "declare status.conditions in the schema",
		Run:   definitions(openSchema)},
	{ID: "crd/status-subresource", Title: "versions with conditions have the status subresource", Level: check.Error, Needs: evidence.CRD,
		Why: "without it every user who may edit the spec writes the status, and the generation rises with each condition",
		Fix: "add subresources: {status: {}}",
		Run: lists(statusSubresource)},
	{ID: "crd/list-map-by-type", Title: "the list is a map keyed by type", Level: check.Error, Needs: evidence.CRD,
		Why: "server-side apply takes any other list for one value: two writers erase each other's conditions",
		Fix: "add x-kubernetes-list-type: map and x-kubernetes-list-map-keys: [type]", Run: lists(listMap)},
	{ID: "crd/item-required", Title: "items require type, status, lastTransitionTime, reason and message", Level: check.Error,
		Needs: evidence.CRD,
		Why:   "clients that decode metav1.Condition rely on them", Fix: "add them to required", Run: lists(required)},
	{ID: "crd/item-observed-generation", Title: "items have observedGeneration, an int64 from 0", Level: check.Error, Needs: evidence.CRD,
		Why: "the API server drops what the schema does not have, and readers cannot tell whether a condition is about the current spec",
		Fix: "add observedGeneration: {type: integer, format: int64, minimum: 0}", Run: lists(generation)},
	{ID: "crd/status-observed-generation", Title: "the status has observedGeneration, where the catalog says so", Level: check.Error,
		Needs: evidence.CRD | evidence.Catalog,
		Why: "the API server drops what the schema does not have, and an object without conditions may be reconciled or may have just been " +
			"created",
		Fix: "add observedGeneration: {type: integer, format: int64} to the properties of the status", Run: definitions(statusGeneration)},
	{ID: "crd/status-waits", Title: "the status has a list of waits, where the catalog says so", Level: check.Error, Needs: evidence.CRD |
		evidence.Catalog,
		Why: "the API server drops what the schema does not have, and a deadline begins anew with each pass",
		Fix: "add waits, a list map by type of objects with type, reason, since, observedGeneration, progress and until, to the properties of " +
			"the status", Run: definitions(statusWaits)},
	{ID: "crd/item-status-enum", Title: "status is exactly True, False or Unknown", Level: check.Error, Needs: evidence.CRD,
		Why: "a misspelt status is stored, and matches nothing", Fix: `add enum: ["True", "False", Unknown]`, Run: lists(statusEnum)},
	{ID: "crd/item-reason-pattern", Title: "reason has the upstream pattern and 1 to 1024 characters", Level: check.Error, Needs: evidence.CRD,
		Why: "clients and alerts match reasons as identifiers", Fix: "add the pattern of metav1.Condition, minLength: 1 and maxLength: 1024",
		Run: lists(reasonPattern)},
	{ID: "crd/item-type-pattern", Title: "type has the upstream pattern and at most 316 characters", Level: check.Warning, Needs: evidence.CRD,
		Why: "a type that generic clients refuse is stored", Fix: "add the pattern of metav1.Condition and maxLength: 316",
		Run: lists(typePattern)},
	{ID: "crd/item-message-length", Title: "message has at most 32768 characters", Level: check.Warning, Needs: evidence.CRD,
		Why: "an object grows with every error that is joined into a message", Fix: "add maxLength: 32768", Run: lists(messageLength)},
	{ID: "crd/item-wider-than-upstream", Title: "items accept no more than metav1.Condition does", Level: check.Warning, Needs: evidence.CRD,
		Why: "a value that generic clients cannot decode is stored", Fix: "keep to the type and bounds of metav1.Condition", Run: lists(wider)},
	{ID: "crd/closed-set-in-schema", Title: "types and reasons are not enumerated in the schema", Level: check.Warning, Needs: evidence.CRD,
		Why: "a new value is then a breaking change, and an old definition refuses every status of a new controller",
		Fix: "keep the closed set in the catalog",
		Run: lists(closedSet)},
	{ID: "crd/versions-declared", Title: "a catalog of the kind holds for every served version", Level: check.Error,
		Needs: evidence.CRD | evidence.Catalog,
		Why:   "objects of a version that the catalog does not name are read, judged and written without it",
		Fix:   "name the served versions in spec.for.versions", Run: definitions(versionsDeclared)},
	{ID: "crd/versions-agree", Title: "served versions have the same schema of conditions", Level: check.Error, Needs: evidence.CRD,
		Why: "fields are lost when an object is converted", Fix: "use one schema", Run: definitions(versionsAgree)},
	{ID: "crd/printer-summary", Title: "a column shows the status of the summary", Level: check.Warning, Needs: evidence.CRD,
		Why: "kubectl get shows whether an object is healthy only where a column does", Fix: "add the column that the finding shows",
		Run: definitions(printerSummary)},
	{ID: "crd/printer-unknown-type", Title: "columns name declared types", Level: check.Error, Needs: evidence.CRD | evidence.Catalog,
		Why: "a column of a type that no controller writes is blank forever", Fix: "name a declared type", Run: definitions(printerUnknown)},
})
