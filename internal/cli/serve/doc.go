// SPDX-License-Identifier: Apache-2.0

// Package serve is the serve command: it watches clusters for as long as it runs, and serves metrics, health, the JSON API and, if asked,
// the page. Rows come from package rows, answers from package server.
//
//	tristate serve --address :8080 --auth cluster
package serve
