// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 has the nine kinds of kars.azure.com as Go types. The definitions in ../../config/crd and the deep copies are generated
// from it; the conditions are declared in catalogs/kars.yaml.
//
// All references are bare names in the object's own namespace. Rules that the schema or a CEL rule can express are markers here; the
// operator repeats them, because objects may be older than a rule.
//
// +kubebuilder:object:generate=true
// +groupName=kars.azure.com
package v1alpha1

//go:generate env GOWORK=off go tool -modfile=../../../../../tools/controller-gen/go.mod controller-gen object crd paths=. output:crd:dir=../../config/crd
