// SPDX-License-Identifier: Apache-2.0

// Package migrate has, for four operators that used the condition libraries of Cluster API, Flux, Knative and operatorpkg, the code with
// which they report the same through generated calls. The pages docs/migrate-*.md put it beside what it replaces.
package migrate

//go:generate go run ../../cmd/tristate gen go catalog.yaml
