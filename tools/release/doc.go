// SPDX-License-Identifier: Apache-2.0

// Command release makes the files of a release. Run it with make release.
//
//	release -version v0.1.0 -out dist [-platforms linux/amd64,...]
//
// For each platform there is an archive with the binary, completions for four shells, man pages, the licence and the README, and an SBOM
// (SPDX 2.3) of the modules in the build information of the binary. With them come the Helm chart, the plain manifests, a
// krew manifest, checksums.txt and provenance.json, an in-toto statement with a SLSA provenance predicate.
//
// The same commit gives the same bytes: times are that of the commit, paths are trimmed, entries are sorted. Nothing is signed and
// nothing is uploaded: that is left to whoever publishes.
package main
