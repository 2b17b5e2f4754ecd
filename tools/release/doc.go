// SPDX-License-Identifier: Apache-2.0

// Command release makes the files of a release. Run it with make release.
//
//	release -version v0.1.0 -out dist [-platforms linux/amd64,...]
//	release -version v0.1.0 -prepare
//
// For each platform there is an archive with the binary, completions for four shells, man pages, the licence and the README, and an SBOM
// (SPDX 2.3) of the modules in the build information of the binary. With them come the Helm chart, the plain manifests,
// checksums.txt and tristate_VERSION.intoto.jsonl, an in-toto statement with a SLSA provenance predicate. For channels there are a krew
// manifest, a formula for brew, the template of GitLab, the plugins of k9s and the entry of the registry of MCP servers.
//
// The commit has the tags of all modules in the version, and the tree is clean; v0.0.0-dev needs neither. With -prepare the modules require
// each other in the version, before they are tagged. docs/architecture.md has the recipe.
//
// The same commit gives the same bytes: times are the commit's, paths are trimmed, entries are sorted, and what is set for go build does
// not count. Nothing is signed and nothing is uploaded.
package main
