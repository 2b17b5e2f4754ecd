// SPDX-License-Identifier: Apache-2.0

// Package claim issues and verifies approval claims.
//
// A claim is a JSON Web Signature (RFC 7515, compact) with alg EdDSA or ES256, a kid, and typ vws-approval+jwt. Its payload is JSON:
//
//	{"aud":CLUSTER, "sub":"KIND/NAMESPACE/NAME", "uid":..., "digest":"sha256:...", "by":..., "iat":..., "exp":..., "jti":...}
//
// The digest is that of [Digest]: it covers everything that will be done, and identifies the object by its uid. The operator shows it in
// the status.
//
// # Rules
//
//  1. A claim counts only with a signature by the key that its kid names, for exactly the subject asked for, and before its expiry.
//  2. The algorithm is that of the key; a claim cannot choose another one.
//  3. An object that was deleted and created again is another subject, and so is an object whose spec or whose resolved objects have
//     changed.
//  4. The signature is verified before anything of the payload is believed.
//  5. No error repeats a part of the claim: errors become messages of conditions.
//  6. Keys are public. A private key, a symmetric key, and anything else among them is no key.
package claim
