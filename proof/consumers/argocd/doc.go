// SPDX-License-Identifier: Apache-2.0

// Package argocd proves the export for Argo CD by its own engine: the health scripts that tristate gen argocd writes are run by util/lua of
// Argo CD over states of catalogs, the objects of pack tests and generated objects, and have to agree with package verdict.
package argocd
