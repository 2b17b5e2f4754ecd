// SPDX-License-Identifier: Apache-2.0

// Package definition reconciles ResourceGraphDefinitions.
//
//	gather  the graph (kro's builder), the CustomResourceDefinition as it is stored and as it is wanted
//	act     the CustomResourceDefinition is applied, its catalog is published, the generation is kept, the kind is served ([Kinds])
//	judge   pure: facts to conditions
//	after   the kinds that the definition does not make any more become orphans
//
// The frame of a pass is that of package operator.
//
// # Rules
//
//  1. A kind is served by the last accepted generation of its definition. While the current generation is not accepted (its graph does not
//     build, or its schema breaks stored instances) the definition is False, and its instances are maintained by the generation before and
//     say so. Every accepted generation is kept as a GraphRevision of kro, so that a restart changes nothing. Without an accepted
//     generation instances report that, and their resources stay as they are.
//  2. The CustomResourceDefinition is kro's, with conditions of the schema of metav1.Condition, merged by type. One that another definition
//     or another writer made is left alone, unless its definition is gone. Changes that break stored instances need kro's annotation.
//  3. The CustomResourceDefinition is watched: each change of its conditions is judged, and it is made again once it is gone.
//  4. The kind of a definition that is deleted, or that is made again with another kind, stays watched while its CustomResourceDefinition
//     exists: its instances report that they are not maintained, and those that are deleted go with their resources. Another definition of
//     the kind takes it over.
//  5. The catalog of a kind is a child of the definition: it is applied with it and watched from then on, so that one that is edited or
//     deleted is applied again, and one of a kind that the definition does not make any more is deleted.
//  6. False means that a person must act. A kind that another definition is about to make, an API server that does not answer, and a
//     CustomResourceDefinition on its way are Unknown.
//
// # What it is not
//
// It is no roll-back: only the newest GraphRevision is served, and none of a definition that was deleted.
package definition
