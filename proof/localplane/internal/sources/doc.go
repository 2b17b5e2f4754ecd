// SPDX-License-Identifier: Apache-2.0

// Package sources holds the catalogs of Kubernetes (catalogs/kubernetes of the repository) to the sources that
// localplane is built from. It has only a test. It fails if no catalog has a condition type that the API declares or a
// reason that a controller writes, and if a line of the sources has moved. Words that look alike and are in no
// condition are in testdata/other.txt, with their meanings.
package sources
