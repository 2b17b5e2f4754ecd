// SPDX-License-Identifier: Apache-2.0

// Package demo shows the operator for kro: a definition, an instance whose Deployment has no pods, one whose image cannot be pulled, a
// definition that is deleted, and a CustomResourceDefinition that is deleted and comes back. Everything runs on a control plane of its own,
// which ends with the demo.
package demo
