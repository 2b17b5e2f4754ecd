// SPDX-License-Identifier: Apache-2.0

// Package metrics exports kinds to kube-state-metrics and Prometheus: a CustomResourceState configuration whose series hold every condition
// with its status and reason, so that Unknown is not False; recording rules that give each cell its class; and alerts.
//
//   - A terminal cell alerts at once, by its reason, once for an object whatever the number of conditions that have the reason. A reason
//     that only a summary has alerts only while no other condition of the object is terminal, so that a roll-up does not page together with
//     its cause.
//   - A cell with a deadline alerts when it has lasted that long. Any other cell of class progress or transient alerts
//     when the object has been in the class for the time of the catalog, 15 minutes by default, and never if it waits
//     by design.
//   - Unknown without a declared cell, cells that are not declared, missing conditions and a status about an older generation have alerts
//     of their own.
//   - When the exporter is down, no alert can fire and all would resolve: that alerts too.
//
// Meanings that the series cannot express are an [export.Difference]. Module proof/consumers/metrics holds the product
// to kube-state-metrics and to Prometheus's rule engine.
package metrics
