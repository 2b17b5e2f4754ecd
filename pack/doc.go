// SPDX-License-Identifier: Apache-2.0

// Package pack makes a verdict engine of catalogs: what they declare about conditions becomes [verdict.Semantics], their verdict
// rules and states become a [verdict.Pack]. A catalog that has nothing but these is called a rule pack; those that we ship are
// in catalogs/packs, each with its cases beside it (NAME_cases.yaml).
//
//	engine := pack.Engine(set)
//	v := engine.Judge(object, time.Now())
//
// # Rules
//
// For a kind with a catalog deletion is looked at first, then the generation that the status was observed at, then the
// verdict rules in order, the states in order, the declared conditions, and last the conventions that hold for any kind. The
// first that has an answer gives it.
package pack
