// SPDX-License-Identifier: Apache-2.0

// Package compared has one small operator five times: with Tristate (examples/toolpolicy and examples/operator), with controller-runtime and the
// functions of apimachinery, and with the condition packages of Cluster API, Knative and operatorpkg, each as its own community writes it. The
// facts, and how they are gathered, are the same. One test runs all of them on one API server through the same troubles; docs/compared.md has what
// came out.
//
// The controller around the conditions is controller-runtime's for all five: Knative's own one needs generated clients, and what is compared
// are the conditions.
package compared
