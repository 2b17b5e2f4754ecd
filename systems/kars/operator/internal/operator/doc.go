// SPDX-License-Identifier: Apache-2.0

// Package operator is the manager of the kars operator: the reconcilers of the nine kinds, the poller of the routers and the address that
// routers push to, with one cache.
//
// The cache holds the nine kinds, the ConfigMaps of the operator's own namespace and, of everything else, only the objects that the
// operator created. Secrets and Pods are never cached.
package operator

//go:generate env GOWORK=off go tool -modfile=../../../../../tools/controller-gen/go.mod controller-gen rbac:roleName=kars-operator paths=../... output:rbac:dir=../../config/rbac
