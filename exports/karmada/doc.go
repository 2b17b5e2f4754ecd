// SPDX-License-Identifier: Apache-2.0

// Package karmada proves the export for Karmada by its own interpreter: the scripts that tristate gen karmada writes are run by luavm of
// Karmada over states of catalogs, the objects of pack tests and generated objects, and have to agree with package verdict.
package karmada
