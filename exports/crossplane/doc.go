// SPDX-License-Identifier: Apache-2.0

// Package crossplane proves the export for Crossplane by the code of function-auto-ready: the expressions that tristate gen crossplane
// writes are evaluated by its resolver over states of catalogs, the objects of pack tests and generated objects, and have to agree with
// package verdict.
package crossplane
