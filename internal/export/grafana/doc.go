// SPDX-License-Identifier: Apache-2.0

// Package grafana exports a dashboard over the recorded series of package metrics, as plain JSON of the classic schema, which every Grafana
// since version 10 reads: it converts it to newer schemas itself. The data source is a variable, and the uid is fixed, so that importing it
// again replaces it.
//
// The module proof/consumers/metrics runs every query of the dashboard in Prometheus's engine over series that were made of objects.
package grafana
