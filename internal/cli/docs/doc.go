// SPDX-License-Identifier: Apache-2.0

// Package docs is the docs command: it writes the reference of conditions into Markdown files, or compares it with them.
//
//	tristate docs --check docs/conditions.md
package docs
