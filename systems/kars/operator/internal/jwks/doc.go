// SPDX-License-Identifier: Apache-2.0

// Package jwks finds the key set of an OIDC issuer: its discovery document names a jwks_uri, and that has the keys.
//
// Both are fetched over HTTPS only, within [Timeout] and [MaxBody]; redirects stay on HTTPS. The published set leaves out everything that
// is no public key: private parts never leave the operator.
package jwks
