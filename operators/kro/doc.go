// SPDX-License-Identifier: Apache-2.0

// Package kro has the tests that run the whole operator on a real API server, alone and next to kro 0.9.4. The program is in
// cmd/kro-operator, everything else in internal.
package kro
