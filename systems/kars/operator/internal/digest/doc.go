// SPDX-License-Identifier: Apache-2.0

// Package digest has the digests that operator and routers compare, and the canonical form of the digested content.
//
// A digest is sha256: and the hex digits of SHA-256 over
//
//	u64 big-endian len(name) ‖ name ‖ u64 big-endian len(body) ‖ body
//
// The name separates the kinds of artifacts; the body is the exact bytes that are published.
package digest
