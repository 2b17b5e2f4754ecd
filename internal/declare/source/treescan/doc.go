// SPDX-License-Identifier: Apache-2.0

// Package treescan finds the conditions that code in Rust, TypeScript, JavaScript and Python writes. It works on syntax trees (package
// grammar) and follows values through them:
//
//	pub const SPEC_INVALID: &str = "SpecInvalid";
//	fn failed(reason: &str) -> Condition { Condition { type_: "Ready".into(), status: "False".into(), reason: reason.into() } }
//	let degraded = match fetch() { Err(e) => Some((reason_for_error(&e), e.to_string())), Ok(_) => None };
//	if let Some((reason, _)) = degraded { out.push(failed(reason)) }
//
// A condition is a struct literal, a JSON object, a dictionary, a call with named arguments or a chain of calls that sets a type and a
// reason or a status (sites.go). Where a part of it is a parameter of the function, each caller of the function is a site instead, so that
// types, statuses and reasons stay together. Constants, variables with all their assignments, tuples, optional values and results,
// patterns, closures, the values that functions return, enumerations and their methods, fields of structs and rules of macros are followed
// (resolve.go, rust.go, script.go, macros.go).
//
// Types are known only as far as they are written at parameters, variables and fields. Where that is not enough, the value is unresolved:
// a value is never guessed. Tests are left out.
package treescan
