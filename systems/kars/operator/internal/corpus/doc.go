// SPDX-License-Identifier: Apache-2.0

// Package corpus has evaluations: the cases, the reports, and the runner that asks a router about each case.
//
// A corpus is JSON (schemaVersion v1) with named cases; an unknown field, a repeated id or no case at all makes it malformed. A case is a
// scenario, which is a call of an agent, and the expected decision. Judged in this order: decision, decisionAtLeastSome,
// byPolicyKind, reasonContains.
//
// The builtin corpora describe the calls of an agent that was talked into something: tools that it was not given, destinations that it has
// no business with, budgets, memories of others.
package corpus
