// SPDX-License-Identifier: Apache-2.0

// Package flux proves the export for Flux by its own evaluator: the expressions that tristate gen flux writes are evaluated by
// pkg/runtime/cel of Flux over states of catalogs, the objects of pack tests and generated objects, and have to agree with package verdict.
package flux
