// SPDX-License-Identifier: Apache-2.0

// Package migrate has code of four operators that used the condition libraries of Cluster API, Flux, Knative and operatorpkg, and that report the
// same conditions through generated calls. The pages docs/migrate-*.md show it next to the code that it replaces.
package migrate

//go:generate go run ../../cmd/tristate gen go catalog.yaml
