// SPDX-License-Identifier: Apache-2.0

// Package accepted holds a test alone: a real API server, with the schema of metav1.Condition, is the judge of a sample of what
// package conditions writes for hostile declarations, stored lists and facts. The laws of package conditions judge many more
// cases by apimachinery's validation.
package accepted
