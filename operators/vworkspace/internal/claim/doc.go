// SPDX-License-Identifier: Apache-2.0

// Package claim issues and verifies approval claims.
//
//	vws1.<payload, base64url without padding>.<HMAC-SHA256 of "vws1.<payload>", hex>
//
// The payload is JSON: {"v":1,"rid":...,"op":...,"by":...,"at":...,"exp":...}. op is the approved subject: the name of an Operation, or NAME@VERSION of
// an ApplicationInstance. rid is the namespace; at and exp are seconds since 1970.
//
// # Rules
//
//  1. A claim counts only with a signature of one of the keys, for exactly the namespace and name asked for, and before its expiry.
//  2. The signature is compared in constant time, and before the payload is decoded.
//  3. No error repeats a part of the claim or of a key: errors become messages of conditions.
//  4. A key has at least 32 bytes; without a key no claim is valid.
package claim
