// SPDX-License-Identifier: Apache-2.0

// Package release is the release command: it removes from objects the conditions that tristate run wrote. Which fields these are is decided
// by package apply.
//
//	tristate release Machine.cluster.x-k8s.io --dry-run
package release
