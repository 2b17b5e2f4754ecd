// SPDX-License-Identifier: Apache-2.0

// Package systems holds what the command ships of the five documents. Each document has a folder:
//
//	NAME/README.md          the page of the system
//	NAME/catalog.yaml       its kinds, conditions and reasons
//	NAME/conditions.md      the same as tables, generated
//	NAME/additions.tsv      the cells of the catalog that the tables of the document do not list, and why
//	NAME/statements.tsv     each sentence of the document, its state and its tests; statements.md is its table
//	NAME/samples            objects to try the command with: recorded from the operator's demo or from a story; those of kpt follow its text
//	NAME/stories            test scripts, for Cluster API, which has no operator of ours
//	NAME/crds.yaml          definitions, for the same reason
//	NAME/operator           an operator of ours, with its chart: a module of its own
//
// A catalog declares a kind's conditions; the comment at its head gives the decisions behind it. It is not a copy of the system's code:
// where a document has less than a catalog needs, the comment names what was chosen.
//
// A story is one txtar archive; package story documents the language and plays it, in memory on virtual time or on a real API server. A
// story writes only what the system and its providers would write: specifications, leaf conditions and plain status fields. Everything
// else is derived, and the story states what it expects. Together the stories of a system reach every condition type of its catalogs
// with every status that it can have.
package systems
