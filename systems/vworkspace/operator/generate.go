// SPDX-License-Identifier: Apache-2.0

package vworkspace

// The definitions of Flux that the tests install, made of the Go types of its api modules.
//go:generate env GOWORK=off go tool -modfile=../../../tools/controller-gen/go.mod controller-gen crd:maxDescLen=0 paths=github.com/fluxcd/source-controller/api/v1 paths=github.com/fluxcd/helm-controller/api/v2 output:crd:dir=testdata/flux
