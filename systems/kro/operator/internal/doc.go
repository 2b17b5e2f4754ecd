// SPDX-License-Identifier: Apache-2.0

// Package internal holds the packages of an operator that reconciles kro's ResourceGraphDefinitions and their instances with conditions
// kept by Tristate. Schemas, graphs, expressions, CustomResourceDefinitions, apply sets and watches are those of kro's own packages.
//
//	declare      the catalog of a definition's kind: its conditions, those of its resources, the custom ones and whether they count
//	definition   ResourceGraphDefinitions: graph, CustomResourceDefinition, watch
//	instance     instances: expressions, resources, verdicts, deletion
//	operator     the manager and the program
//	demo         make demo
package internal

//go:generate env GOWORK=off go tool -modfile=../../../../tools/controller-gen/go.mod controller-gen rbac:roleName=kro-operator paths=./... output:rbac:dir=../config/rbac
//go:generate go run -C ../../../.. ./cmd/tristate gen go systems/kro/catalog.yaml --kind ResourceGraphDefinition --package definition --out systems/kro/operator/internal/definition
