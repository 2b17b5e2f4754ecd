// SPDX-License-Identifier: Apache-2.0

// Package approver is the program vworkspace-claim: it makes keys, issues approval claims, and shows them.
//
//	vworkspace-claim key --out ada.pem > ada.pub
//	kubectl get operation nightly -o yaml | vworkspace-claim issue --key ada.pem --key-id ada-2026 --by ada --for 1h
//	vworkspace-claim inspect CLAIM
//
// issue computes the digest from the object that it is shown, compares it with that of the status, and prints everything that it covers, so
// that an approver signs what they have read. inspect with --public and an object on standard input also verifies.
package approver
