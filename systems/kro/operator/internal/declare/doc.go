// SPDX-License-Identifier: Apache-2.0

// Package declare makes the ConditionCatalog of the kind that a ResourceGraphDefinition defines. The operator writes the conditions of
// instances by this catalog, and publishes it, so that tristate reads them by it.
//
// # Rules
//
//  1. A catalog has Ready, the four chunks of work of the reconciler (InstanceManaged, GraphResolved, InstanceSynced, ResourcesReady), one
//     condition for each resource of the graph ([ResourceType]), and the custom conditions of the definition. The first five are those of
//     catalogs/kro.yaml.
//  2. ResourcesReady sums up the resources; Ready sums up the chunks and the custom conditions that count.
//  3. A custom condition is one that an expression under spec.schema.status.conditions makes. The annotation [Annotation] in
//     spec.schema.metadata.annotations, which kro copies to the CustomResourceDefinition and does not read, says of each whether it counts
//     (role: dependent or informational) and which status is good (polarity). Without an entry a custom condition informs and is positive,
//     as it does in kro.
//  4. The annotation may name types that no expression makes by a literal, because they are computed. Types that are neither literal nor
//     named are added to the pass that meets them, as informational ones ([Kind.With]).
//  5. Ready and the chunks are the operator's. An expression that makes a condition of such a type reports [Renamed] of it instead, which
//     counts if it is Ready.
//  6. An object that the graph only refers to is a relation of the catalog, named after its resource, where its name follows from the
//     instance.
//
// An example of the annotation:
//
//	tristate.dev/conditions: |
//	  - {type: DatabaseReachable, role: dependent, meaning: The database answers.}
//	  - {type: BackupOverdue, role: dependent, polarity: negative}
//	  - {type: CostEstimated, role: informational}
//
// # What it is not
//
// It evaluates no expression and knows no client.
package declare
