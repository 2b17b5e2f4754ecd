// SPDX-License-Identifier: Apache-2.0

// Package flux proves the export for Flux by its own evaluator. pkg/runtime/cel of Flux evaluates the expressions of
// tristate gen flux over states of catalogs, the objects of pack tests and generated objects. The answers have to agree
// with package verdict.
package flux
