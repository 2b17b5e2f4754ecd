// SPDX-License-Identifier: Apache-2.0

// Package artifact fetches artifacts from OCI registries by digest and verifies who signed them.
//
//  1. The reference has a registry without a path, a repository, a sha256 digest and the media type that is asked for.
//  2. The manifest is fetched by digest and its digest computed again; its one layer likewise. Answers are cut at [MaxResponse], layers at
//     [MaxContent]; nothing is unpacked. A fetch takes at most [Timeout].
//  3. The signatures are Sigstore bundles over the bytes of the manifest, attached to it as referrers. One that the [Policy] accepts is
//     enough; at most [maxSignatures] are looked at.
//
// A [Failure] has whether a signature is missing (unsigned), whether the world may be different in a minute (transient), and of which class
// it is.
package artifact
