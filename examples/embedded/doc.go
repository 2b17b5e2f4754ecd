// SPDX-License-Identifier: Apache-2.0

// Command stack-operator is the example of a controller that embeds derived conditions: the conditions of its kind Stack are declared in a
// catalog and computed from the deployments that belong to it, without a line of its own.
//
// [Run] is the part to copy: it loads the catalog that is embedded in the binary, and runs package controller until the context ends, beside
// whatever else the program does. It needs list and watch on stacks and deployments, and patch on stacks/status; controller.Rules lists the
// permissions of a set of catalogs.
//
//	kubectl apply -f crd.yaml
//	go run .
package main
