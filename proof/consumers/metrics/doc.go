// SPDX-License-Identifier: Apache-2.0

// Package metrics holds the export of metrics, alerts and dashboards to its consumers' own code: the configuration is executed by
// kube-state-metrics, its series are stored and queried by Prometheus, and the rules are run by Prometheus's rule engine. It has tests
// only.
package metrics
