// SPDX-License-Identifier: Apache-2.0

// Package exportcheck compares the products of a vocabulary with the catalogs: generated code, the configuration of kube-state-metrics,
// alert rules of Prometheus and health scripts of Argo CD.
//
// An expression belongs to the kind that a label (kind, customresource_kind), a metric configuration or the name of the metric leads to.
// Where none does it is held to the catalogs that are checked, all together: a name that any of them declares is declared. Which statuses
// make an expression fire is decided for comparisons of one metric with a number; other expressions are not checked.
package exportcheck
