// SPDX-License-Identifier: Apache-2.0

// Command stack-operator is the example of a controller that embeds derived conditions: the conditions of its kind Stack are declared in
// catalog.yaml and computed from the deployments that belong to it, without Go code for them.
//
//	kubectl apply -f examples/embedded/crd.yaml
//	go run ./examples/embedded
//
// [Run] is the part to copy: it loads the catalog that is embedded in the binary, and runs package controller until the context ends, next to
// the rest of the program. It needs list and watch on stacks and deployments, and patch on stacks/status; controller.Rules lists the
// permissions of a set of catalogs.
package main
