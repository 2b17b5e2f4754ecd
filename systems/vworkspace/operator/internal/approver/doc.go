// SPDX-License-Identifier: Apache-2.0

// Package approver is the program vworkspace-claim: it makes keys and issues approval claims.
//
//	vworkspace-claim key --out ada.pem > ada.pub
//	kubectl get operation nightly -o yaml | vworkspace-claim issue --key ada.pem --key-id ada-2026 --by ada --for 1h
//
// issue computes the digest from the object that it is shown, compares it with that of the status, and prints everything that it covers, so
// that an approver signs what they have read.
package approver
