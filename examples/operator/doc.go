// SPDX-License-Identifier: Apache-2.0

// Package operator is the operator of docs/guide-first-operator.md: it compiles ToolPolicies into profiles and reports whether the
// sandboxes that name a policy enforce it. A sandbox is a ConfigMap with the label example.dev/policy; its router writes the profile that
// it enforces to data.profile.
//
// The reconciler has three steps that every operator has: gather facts, judge them, apply the result.
package operator
