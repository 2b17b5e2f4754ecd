// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 has the kinds of ops.vworkspace.io as Go types: Operation and Cluster. The definitions in ../../../config/crd and the deep
// copies are generated from it; the conditions are declared in catalogs/vworkspace.yaml.
//
// +kubebuilder:object:generate=true
// +groupName=ops.vworkspace.io
package v1alpha1

//go:generate env GOWORK=off go tool -modfile=../../../../../../tools/controller-gen/go.mod controller-gen object crd paths=. output:crd:dir=../../../config/crd
