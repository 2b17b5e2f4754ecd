// SPDX-License-Identifier: Apache-2.0

// Package operator is the manager of the vWorkspace operator: the reconcilers of the three kinds, the agent of the pull protocol and the
// probes, with one cache.
//
// The cache holds the three kinds, the metadata of namespaces and definitions, the ConfigMaps of the operator's namespace, the Deployments
// of the controllers that the cluster needs, and of other kinds the objects that the operator created; Certificates and ExternalSecrets
// entirely, once they are served. Secrets are never cached.
package operator

//go:generate env GOWORK=off go tool -modfile=../../../../../tools/controller-gen/go.mod controller-gen rbac:roleName=vworkspace-operator paths=../... output:rbac:dir=../../config/rbac
