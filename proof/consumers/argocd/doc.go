// SPDX-License-Identifier: Apache-2.0

// Package argocd proves the export for Argo CD by its own engine. util/lua of Argo CD runs the health scripts of
// tristate gen argocd over states of catalogs, the objects of pack tests and generated objects. The answers have to
// agree with package verdict.
package argocd
