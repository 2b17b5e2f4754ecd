// SPDX-License-Identifier: Apache-2.0

// Package pack makes a verdict engine of catalogs: their declarations of conditions become [verdict.Semantics], their verdict
// rules and states become a [verdict.Pack]. A catalog that has nothing but these is called a rule pack; those that are shipped
// are in catalogs/packs.
//
//	packs, err := pack.Shipped()
//	engine := pack.Engine(mine, packs)
//	v := engine.Judge(object, time.Now())
//
// # Rules
//
//  1. Of several sets the first one that judges a kind is used; a catalog for the kind takes precedence over one for every kind
//     of its group.
//  2. For a kind with a catalog deletion is checked first, then its verdict rules in order, its states in order, its declared
//     conditions, and last the conventions for any kind. The first one with a verdict decides.
//  3. A rule whose expression reads a missing field is false.
//  4. While the status is about an older generation, states and rules that read it are ignored, and so is a rule that reads a
//     condition about an older generation; without another verdict the conventions return InProgress. A rule about the spec alone counts,
//     and so does a state that finds a condition unhealthy whose own observedGeneration is the current one.
//  5. The rule of a verdict is its place, catalog/NAME/verdicts[i] or catalog/NAME/states[i]; its evidence are the fields that it read.
//  6. The verdict Current is compared with the conditions that no state and no expression reads, with the error fields that no rule
//     reads, and with the replica counts if no rule reads one. A catalog ignores types and fields by name.
//  7. A judgement by states and conditions allocates nothing; one by expressions costs some microseconds.
//
// # Cases
//
// A pack is tested with objects and their expected verdicts: [ReadCases], [Case.Run]; [Untested] lists the rules that no case
// reached. Those of NAME.yaml are in testdata/NAME.yaml of its folder, where the command "tristate test" finds them.
//
// # Vocabularies
//
// The words that a controller writes are in vocabulary/NAME.yaml, from its sources: condition types with their statuses and reasons, words
// of fields, each with its class. [Vocabulary.Judge] tries each on an object that is healthy otherwise, so that a word which a rule before
// it hides is found; [Unlisted] finds words that a catalog reads and the controller does not write.
//
// # Changing catalogs
//
// [Live] holds catalogs whose files change while they are used, such as those of a mounted ConfigMap: an invalid file keeps its
// last valid content.
//
// # What it is not
//
// A rule reads one object. Relations, trees and causes (package relation) connect it to others.
package pack
