// SPDX-License-Identifier: Apache-2.0

// Package pack makes a verdict engine of catalogs: what they declare about conditions becomes [verdict.Semantics], their verdict
// rules and states become a [verdict.Pack]. A catalog that has nothing but these is called a rule pack; those that are shipped
// are in catalogs/packs.
//
//	packs, err := pack.Shipped()
//	engine := pack.Engine(mine, packs)
//	v := engine.Judge(object, time.Now())
//
// # Rules
//
//  1. Of several sets the first that says how a kind is judged counts; a catalog for the kind counts before one for every kind
//     of its group.
//  2. For a kind with a catalog deletion is looked at first, then its verdict rules in order, its states in order, its declared
//     conditions, and last the conventions that hold for any kind. The first that has an answer gives it.
//  3. A rule whose expression reads a field that is not there does not hold.
//  4. While the status is about an older generation, states and rules that read the status do not hold, nor does one that reads
//     a condition which is. What they leave open the conventions call InProgress. A rule about the spec alone holds, and so does a table
//     that calls a condition bad which itself says that it is about the current generation.
//  5. The rule of a verdict is its place, catalog/NAME/verdicts[i] or catalog/NAME/states[i]; its evidence is what it read.
//  6. An answer of Current is compared with the conditions for which no table has a word and that no expression reads, with the fields for
//     errors that no rule judges by, and with the counts where no rule reads one. A catalog ignores types and fields by name.
//  7. A judgement by states and conditions allocates nothing; one by expressions costs some microseconds.
//
// # Cases
//
// A pack is held to objects with the verdict that they must get: [ReadCases], [Case.Run]; [Untested] lists the rules that none
// of them reached. Those of NAME.yaml stand in testdata/NAME.yaml beside it, where the command "tristate test" finds them.
//
// # Vocabularies
//
// The words that a controller writes stand in vocabulary/NAME.yaml, from its sources: condition types with their statuses and reasons, words of fields,
// each with its class. [Vocabulary.Judge] tries each on an object that is healthy otherwise, so that a word which a rule before it hides is found;
// [Unlisted] finds words that a catalog reads and the controller does not write.
//
// # Changing catalogs
//
// [Live] holds catalogs whose files change while they are used, such as those of a mounted ConfigMap: a file that is bad counts
// as it was before.
//
// # What it is not
//
// A rule sees one object. What other objects have to do with it is said by relations, and told by trees and causes.
package pack
