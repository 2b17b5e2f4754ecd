// SPDX-License-Identifier: Apache-2.0

// Package policy is the operator of docs/guide-first-operator.md: it compiles ToolPolicies into profiles and reports whether the
// sandboxes that name a policy enforce it. A sandbox is a ConfigMap with the label example.dev/policy; its router writes the profile that
// it enforces to data.profile.
//
// It has the functions that every operator has: gather facts, judge them, conclude the rest of the status.
package policy
